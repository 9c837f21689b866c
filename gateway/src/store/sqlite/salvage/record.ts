import { readVarint } from './btree-page.ts'

export type Value = null | number | bigint | string | Buffer

/** Bytes of the numbers of the serial types 0 to 9. */
const NUMBER_BYTES = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0]

/** Reads the values of a record; undefined when the bytes are not exactly one record. */
export function readRecord(record: Buffer): Value[] | undefined {
  const header = readVarint(record, 0)
  if (header === undefined || header.value > record.length) return undefined
  const values: Value[] = []
  let at = header.end
  let body = header.value
  while (at < header.value) {
    const type = readVarint(record, at)
    if (type === undefined || type.end > header.value) return undefined
    at = type.end
    const bytes = bytesOf(type.value)
    if (bytes === undefined || body + bytes > record.length) return undefined
    values.push(readValue(record, body, type.value, bytes))
    body += bytes
  }
  return at === header.value && body === record.length ? values : undefined
}

function bytesOf(type: number): number | undefined {
  if (type >= 12) return Math.floor((type - 12) / 2)
  return NUMBER_BYTES[type]
}

function readValue(record: Buffer, at: number, type: number, bytes: number): Value {
  if (type === 0) return null
  if (type === 7) return record.readDoubleBE(at)
  if (type === 8 || type === 9) return type - 8
  if (type === 6) return toNumber(record.readBigInt64BE(at))
  if (type < 6) return record.readIntBE(at, bytes)
  if (type % 2 === 1) return record.toString('utf8', at, at + bytes)
  return Buffer.from(record.subarray(at, at + bytes))
}

function toNumber(value: bigint): number | bigint {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : value
}
