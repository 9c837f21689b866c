import Type, { type TSchema } from 'typebox'

/**
 * The values of a query or path, which are all text, as the schema wants them: text that is exactly a number or a
 * truth value becomes one. Everything else stays text and is refused by the check: `1.5` is not the id 1.
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
