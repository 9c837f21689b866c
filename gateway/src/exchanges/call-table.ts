import type { Permission, RequestClass } from 'schema'
import type { EffectForm } from './call-effect.ts'
import type { HttpMethod } from './exchange.ts'
import type { OrderCallForm } from './order-lookup/order-call.ts'
import type { CancelAllForm } from './order-lookup/order-protocol.ts'
import { isSpelledLike, readJson, valuesNamed } from './protocol/json-text.ts'
import { isRecord } from './protocol/untrusted.ts'

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
 * A row of a table of calls: their method, the path that they have in common, and their names below
 * it, separated by white space. A call with facts has a row of its own. `{name}` in a name matches
 * any one part of the path. There is no wildcard for everything below.
 */
export type CallRow = readonly [
  kind: OpenKind,
  method: HttpMethod,
  below: string,
  names: string,
  facts?: CallFacts,
]

/** All that the gateway knows of a call beside its kind. What does not apply is absent. */
interface CallFacts {
  /** How it names its orders. A cancel without it names none: it may reach those of others. */
  readonly order?: OrderCallForm
  /**
   * What it may trade, or why nobody can tell. An order without it may trade anything: clients with
   * limits may not make it.
   */
  readonly effect?: EffectForm | string
  /**
   * It closes or reverses positions: the field that says how much, or `all` when it takes all that
   * there is.
   */
  readonly closes?: 'all' | { readonly sizeName: string }
  /** It cancels orders of an account without naming them. */
  readonly cancelsAll?: CancelAllForm
  /** It does more than its path says, depending on a field of its body. */
  readonly byBody?: BodyRule
  /** It changes the position mode of the account. */
  readonly changesMode?: true
  /** It is market data that the exchange gives only to callers with a key. */
  readonly needsKey?: true
  /** How long a response serves all callers (`keptAgeMs`), for a path without parameters. */
  readonly keepSeconds?: number
}

/** When a call does more than its path says. */
export interface BodyRule {
  /** For people: the end of "it needs another permission". */
  readonly when: string
  readonly kind: OpenKind
  /**
   * @param values of every outermost field of that name: a body can repeat one
   * @param alike those and the values of fields with another spelling, which some parser may read
   */
  readonly applies: (values: readonly unknown[], alike: readonly unknown[]) => boolean
  /** The name of the field, in lower case. */
  readonly field: string
}

/** The calls of an API that are open to clients, and what is known of the others. */
export interface CallTable {
  readonly rows: readonly CallRow[]
  /** By method and path, `GET /api/v3/time`. */
  readonly kinds: ReadonlyMap<string, OpenKind>
  /** Those whose path has parameters. */
  readonly patterns: readonly {
    readonly call: RegExp
    readonly kind: OpenKind
    readonly template: string
  }[]
  /** By method and path. */
  readonly facts: ReadonlyMap<string, CallFacts>
  readonly closed: readonly ClosedGroup[]
}

/**
 * Calls that the exchange has and that no client may make. The list decides nothing: a call that no
 * row names is closed anyway. It gives the reason in the error, and separates calls that somebody
 * decided about from new ones (`npm run exchange-diff`).
 */
export interface ClosedGroup {
  /** The end of "is closed, because". */
  readonly reason: string
  /** `**` as the name: every path below, with every method. */
  readonly calls: readonly (readonly [method: HttpMethod | '*', below: string, names: string])[]
}

/** Rows of calls that may change something: those of one kind below one path, each by its name. */
export function rowsBelow(
  kind: OpenKind,
  method: HttpMethod,
  below: string,
  calls: Readonly<Record<string, CallFacts>>,
): CallRow[] {
  return Object.entries(calls).map(([name, facts]) => [kind, method, below, name, facts] as const)
}

/** The table that the rows and groups describe. */
export function readCallTable(
  rows: readonly CallRow[],
  closed: readonly ClosedGroup[] = [],
): CallTable {
  const calls = rows.flatMap(([kind, method, below, names, facts]) =>
    namesIn(names).map((name) => ({
      ...{ kind, call: `${method} ${below}${name}`, template: `${below}${name}`, facts },
    })),
  )
  const isPattern = ({ call }: { readonly call: string }) => call.includes('{')
  return {
    rows,
    kinds: new Map(calls.filter((each) => !isPattern(each)).map(({ call, kind }) => [call, kind])),
    patterns: calls
      .filter(isPattern)
      .map(({ call, kind, template }) => ({ call: toPattern(call), kind, template })),
    facts: new Map(
      calls.flatMap(({ call, facts }) => (facts === undefined ? [] : [[call, facts] as const])),
    ),
    closed,
  }
}

/**
 * What a call does; `never` for everything that no row names.
 * @param path plain (`isPlainPath`)
 */
export function kindOf({ kinds, patterns }: CallTable, method: HttpMethod, path: string): CallKind {
  const call = `${method} ${path}`
  return kinds.get(call) ?? patterns.find((each) => each.call.test(call))?.kind ?? 'never'
}

/** The path of a call with `{name}` for what varies; undefined when no row names the call. */
export function templateOf(
  { kinds, patterns }: CallTable,
  method: HttpMethod,
  path: string,
): string | undefined {
  const call = `${method} ${path}`
  return kinds.has(call) ? path : patterns.find((each) => each.call.test(call))?.template
}

/**
 * What a call does, once its body is known.
 * @param kind of the call by its path alone
 * @param call method and path
 * @param text the body; one that is no JSON object may do whatever the call can do
 */
export function kindByBody(
  { facts }: CallTable,
  kind: OpenKind,
  call: string,
  text: string,
): OpenKind {
  const rule = facts.get(call)?.byBody
  if (rule === undefined) return kind
  const { field } = rule
  const json = readJson(text.trim() === '' ? '{}' : text)
  if (json === undefined || !isRecord(json.value)) return rule.kind
  const values = valuesNamed(json, (name) => name === field)
  const alike = valuesNamed(json, (name) => isSpelledLike(name, field))
  return rule.applies(values, alike) ? rule.kind : kind
}

/** Why a call is closed; undefined when no list names it. */
export function closedReason(
  { closed }: CallTable,
  method: string,
  path: string,
): string | undefined {
  return closed.find(({ calls }) =>
    calls.some(
      ([closedMethod, below, names]) =>
        (closedMethod === '*' || closedMethod === method) &&
        path.startsWith(below) &&
        namesIn(names).some((name) => name === '**' || name === path.slice(below.length)),
    ),
  )?.reason
}

/** The names in a row. */
export function namesIn(names: string): string[] {
  return names.split(/\s+/).filter((name) => name !== '')
}

function toPattern(call: string): RegExp {
  return new RegExp(`^${call.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`)
}
