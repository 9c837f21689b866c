import { bigint, customType } from 'drizzle-orm/pg-core'

const bytewise = customType<{ data: string; driverData: string }>({
  dataType: () => 'text COLLATE "C"',
  // A prepared statement has its nulls converted too.
  toDriver: (value: string | null) => (value === null ? (value as never) : storable(value)),
})

/** PostgreSQL stores no NUL. SQLite does, but only what is not text contains one. */
export function storable(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '\u{fffd}') : text
}

/**
 * Text, compared and sorted byte by byte, as SQLite does: the locale of the database plays no part.
 * `lower()` and `ilike` change the case of ASCII letters only, likewise.
 * @param _options the values that the type allows; the database does not check them
 */
export function text<const Value extends string = string>(
  name: string,
  _options?: { readonly enum: readonly Value[] },
) {
  return bytewise(name).$type<Value>()
}

/** An integer of 8 bytes: times in milliseconds, counts, ids. */
export const integer = (name: string) => bigint(name, { mode: 'number' })
