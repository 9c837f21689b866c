import type { Permission, RequestClass } from 'schema'
import type { HttpMethod } from '../exchange.ts'
import type { BodyRule } from './by-body.ts'

/** What a call does. `never`: nobody may make it. */
export type CallKind = OpenKind | 'never'
/**
 * `settings` changes the account for every client that uses it, or closes all its positions.
 * `strategies` starts or changes what the exchange then trades on its own, also after the client is
 * disabled and while the exchange is stopped in the gateway.
 */
export type OpenKind = RequestClass | 'settings' | 'strategies'

/** What a client must be permitted for each kind of call. */
export const KIND_PERMISSIONS: Readonly<Record<OpenKind, Permission>> = {
  market: 'market',
  account: 'account',
  cancel: 'trade',
  order: 'trade',
  settings: 'settings',
  strategies: 'strategies',
}

/**
 * Calls of one kind: their method, the path that they have in common, and their names below it,
 * separated by white space. `{name}` in a name matches any one part of the path. There is no
 * wildcard for everything below.
 */
export type PolicyLine = readonly [kind: OpenKind, method: HttpMethod, below: string, names: string]

/** The calls of an exchange that are open to clients, and what is known of the others. */
export interface Policy {
  readonly lines: readonly PolicyLine[]
  /** By method and path, `GET /api/v3/time`. */
  readonly kinds: ReadonlyMap<string, OpenKind>
  /** Those whose path has parameters. */
  readonly patterns: readonly { readonly call: RegExp; readonly kind: OpenKind }[]
  readonly closed: readonly ClosedGroup[]
  readonly byBody: readonly BodyRule[]
}

/**
 * Calls that the exchange has and that no client may make. The list decides nothing: a call that no
 * line of the policy names is closed anyway. It gives the reason in the error, and separates calls
 * that somebody decided about from new ones (`npm run exchange-diff`).
 */
export interface ClosedGroup {
  /** The end of "is closed, because". */
  readonly reason: string
  /** `**` as the name: every path below, with every method. */
  readonly calls: readonly (readonly [method: HttpMethod | '*', below: string, names: string])[]
}

/** The policy that the lines and groups describe. */
export function readPolicy(
  lines: readonly PolicyLine[],
  closed: readonly ClosedGroup[] = [],
  byBody: readonly BodyRule[] = [],
): Policy {
  const calls = lines.flatMap(([kind, method, below, names]) =>
    namesIn(names).map((name) => ({ kind, call: `${method} ${below}${name}` })),
  )
  const isPattern = ({ call }: { readonly call: string }) => call.includes('{')
  return {
    lines,
    kinds: new Map(calls.filter((each) => !isPattern(each)).map(({ call, kind }) => [call, kind])),
    patterns: calls.filter(isPattern).map(({ call, kind }) => ({ call: toPattern(call), kind })),
    closed,
    byBody,
  }
}

/**
 * What a call does; `never` for everything that no line names.
 * @param path plain (`isPlainPath`)
 */
export function kindOf({ kinds, patterns }: Policy, method: HttpMethod, path: string): CallKind {
  const call = `${method} ${path}`
  return kinds.get(call) ?? patterns.find((each) => each.call.test(call))?.kind ?? 'never'
}

/** Why a call is closed; undefined when no list names it. */
export function closedReason({ closed }: Policy, method: string, path: string): string | undefined {
  return closed.find(({ calls }) =>
    calls.some(
      ([closedMethod, below, names]) =>
        (closedMethod === '*' || closedMethod === method) &&
        path.startsWith(below) &&
        namesIn(names).some((name) => name === '**' || name === path.slice(below.length)),
    ),
  )?.reason
}

/** The names in a line of a policy. */
export function namesIn(names: string): string[] {
  return names.split(/\s+/).filter((name) => name !== '')
}

function toPattern(call: string): RegExp {
  return new RegExp(`^${call.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`)
}
