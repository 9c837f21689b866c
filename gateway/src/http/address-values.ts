import Type, { type TSchema } from 'typebox'

/**
 * Converts the values of a query or path, which are all text, to the types of the schema: text that
 * is exactly a number or a boolean becomes one. Everything else stays text, and the schema check
 * then rejects it: `1.5` is not the id 1.
 */
export function readAddressValues(schema: TSchema, values: unknown): unknown {
  if (!Type.IsObject(schema)) return values
  return Object.fromEntries(
    Object.entries(values ?? {}).map(([name, value]) => {
      const property = Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined
      return [name, typeof value === 'string' ? readAs(property, value) : value]
    }),
  )
}

function readAs(property: TSchema | undefined, text: string): unknown {
  if (Type.IsInteger(property)) return /^-?\d{1,16}$/.test(text) ? Number(text) : text
  if (Type.IsNumber(property)) return /^-?\d{1,15}(\.\d{1,15})?$/.test(text) ? Number(text) : text
  if (Type.IsBoolean(property) && (text === 'true' || text === 'false')) return text === 'true'
  return text
}
