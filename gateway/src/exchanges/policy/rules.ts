import type { RequestClass } from 'schema'
import type { HttpMethod } from '../exchange.ts'

/**
 * What a call does: its class in the queue, which says what a client must be permitted. `never`:
 * nobody may.
 */
export type CallKind = RequestClass | 'never'

export interface PolicyRule {
  readonly kind: CallKind
  readonly method: HttpMethod
  readonly path: RegExp
  /** The path as the policy writes it, for people. */
  readonly written: string
}

/** A line of a policy: `(a|b)` is one of several, `*` one part of a path, `**` one part or more. */
export type PolicyLine = readonly [kind: CallKind, method: HttpMethod, path: string]

/** Makes rules of lines; of the rules that match a call the first one counts. */
export function readPolicy(lines: readonly PolicyLine[]): readonly PolicyRule[] {
  return lines.map(([kind, method, path]) => ({
    kind,
    method,
    path: toPattern(path),
    written: path,
  }))
}

/**
 * What a call does; `never` for everything that no rule names.
 * @param path plain (`isPlainPath`)
 */
export function kindOf(policy: readonly PolicyRule[], method: HttpMethod, path: string): CallKind {
  const rule = policy.find((each) => each.method === method && each.path.test(path))
  return rule?.kind ?? 'never'
}

function toPattern(path: string): RegExp {
  const source = path.replaceAll('.', '\\.').replaceAll(/\*\*?/g, (stars) => PARTS[stars] ?? stars)
  return new RegExp(`^${source}$`)
}

const PARTS: Record<string, string> = { '*': '[^/]+', '**': '[^/]+(?:/[^/]+)*' }
