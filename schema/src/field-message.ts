/**
 * The sentence that a schema has for a wrong field (`x-error`), the same for people everywhere;
 * undefined when it has none.
 */
export function fieldMessage(schema: unknown, field: string): string | undefined {
  const message = own(own(own(schema, 'properties'), field), 'x-error')
  return typeof message === 'string' ? message : undefined
}

function own(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return Reflect.get(value, name)
}
