import { Decimal } from './decimal.ts'

/** What a response is made of. A bigint or a Decimal becomes a JSON number with all its digits. */
export type Json =
  | null
  | boolean
  | number
  | bigint
  | string
  | Decimal
  | readonly Json[]
  | { readonly [name: string]: Json | undefined }

export type JsonObject = Readonly<Record<string, Json | undefined>>

/**
 * JSON text of a response. JSON.stringify cannot write the futures order ids, which are numbers
 * above 2^53 on the wire, nor decimal numbers with all their digits.
 */
export function writeJson(value: Json): string {
  if (typeof value === 'bigint') return value.toString()
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if (Decimal.isBigNumber(value)) return value.toFixed()
  if (isList(value)) return `[${value.map(writeJson).join(',')}]`
  const members = Object.entries(value).flatMap(([name, member]) =>
    member === undefined ? [] : [`${JSON.stringify(name)}:${writeJson(member)}`],
  )
  return `{${members.join(',')}}`
}

const isList = (value: object): value is readonly Json[] => Array.isArray(value)

/** What a caller's body is made of: a number is the text of its digits, so that ids stay whole. */
export type ReceivedJson =
  | null
  | boolean
  | string
  | readonly ReceivedJson[]
  | { readonly [name: string]: ReceivedJson }

/** @throws SyntaxError when the text is no JSON */
export function readJson(text: string): ReceivedJson {
  return JSON.parse(text, (_name, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' ? (context?.source ?? String(value)) : value,
  )
}
