/**
 * The sentence that a schema has for a wrong field (`x-error`; `x-characters` for its pattern), the
 * same for people everywhere; undefined when it has none for the rule that is broken.
 */
export function fieldMessage(
  schema: unknown,
  field: string,
  rule = 'required',
): string | undefined {
  const rules = own(own(schema, 'properties'), field)
  // Of a field with a lower bound, the sentence is about that one.
  if (rule === 'maxLength' && own(rules, 'minLength') !== undefined) return undefined
  const message = own(rules, rule === 'pattern' ? 'x-characters' : 'x-error')
  return typeof message === 'string' ? message : undefined
}

function own(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return Reflect.get(value, name)
}
