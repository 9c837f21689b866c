import { readJson, valuesNamed } from '../protocol/json-text.ts'
import type { OpenKind, Policy } from './rules.ts'

/** Calls that do more than their path says, depending on a field of their body. */
export interface BodyRule {
  /** By method and path, `POST /api/v3/trade/place-order`. */
  readonly calls: readonly string[]
  /** When they do more, for people: the end of "it needs another permission". */
  readonly when: string
  readonly kind: OpenKind
  /** @param values the outermost fields of that name, in every case that the body has it */
  readonly applies: (values: readonly unknown[]) => boolean
  readonly field: string
}

/**
 * What a call does that the policy takes for `kind`, now that its body is known.
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
