import { readJson, valuesNamed } from '../protocol/json-text.ts'
import type { OpenKind, Policy } from './rules.ts'

/** Calls that do more than their path says, depending on a field of their body. */
export interface BodyRule {
  /** By method and path, `POST /api/v3/trade/place-order`. */
  readonly calls: readonly string[]
  /** When they do more, for people: the end of "it needs another permission". */
  readonly when: string
  readonly kind: OpenKind
  /** @param values of every outermost field of that name: a body can repeat one */
  readonly applies: (values: readonly unknown[]) => boolean
  /** The name of the field. */
  readonly field: string
}

/**
 * What a call does, once its body is known.
 * @param kind of the call by its path alone
 * @param call method and path
 * @param text the body; one that is no JSON names nothing
 */
export function kindByBody(
  { byBody }: Policy,
  kind: OpenKind,
  call: string,
  text: string,
): OpenKind {
  const rule = byBody.find(({ calls }) => calls.includes(call))
  if (rule === undefined) return kind
  const json = readJson(text)
  const values = json === undefined ? [] : valuesNamed(json, rule.field)
  return rule.applies(values) ? rule.kind : kind
}
