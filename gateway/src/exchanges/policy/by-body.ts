import { isSpelledLike, readJson, valuesNamed } from '../protocol/json-text.ts'
import { isRecord } from '../protocol/untrusted.ts'
import type { OpenKind, Policy } from './rules.ts'

/** Calls that do more than their path says, depending on a field of their body. */
export interface BodyRule {
  /** By method and path, `POST /api/v3/trade/place-order`. */
  readonly calls: readonly string[]
  /** When they do more, for people: the end of "it needs another permission". */
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

/**
 * What a call does, once its body is known.
 * @param kind of the call by its path alone
 * @param call method and path
 * @param text the body; one that is no JSON object may do whatever the call can do
 */
export function kindByBody(
  { byBody }: Policy,
  kind: OpenKind,
  call: string,
  text: string,
): OpenKind {
  const rule = byBody.find(({ calls }) => calls.includes(call))
  if (rule === undefined) return kind
  const { field } = rule
  const json = readJson(text.trim() === '' ? '{}' : text)
  if (json === undefined || !isRecord(json.value)) return rule.kind
  const values = valuesNamed(json, (name) => name === field)
  const alike = valuesNamed(json, (name) => isSpelledLike(name, field))
  return rule.applies(values, alike) ? rule.kind : kind
}
