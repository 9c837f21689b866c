import type { PageFile } from './page-file.ts'

/** The kinds of b-tree pages, by their first byte. */
const KINDS = { 2: 'index', 5: 'table', 10: 'index-leaf', 13: 'table-leaf' } as const

interface BtreePage {
  readonly kind: (typeof KINDS)[keyof typeof KINDS]
  readonly bytes: Buffer
  /** Where each cell begins. */
  readonly cells: readonly number[]
  /** The last child; 0 for a leaf. */
  readonly right: number
}

export interface Row {
  readonly rowid: number
  /** The record, with what is on other pages. */
  readonly record: Buffer
}

/** Reads a page of a b-tree; undefined when it cannot be one. */
export function readPage(file: PageFile, number: number): BtreePage | undefined {
  if (number < 1 || number > file.pageCount) return undefined
  const bytes = file.page(number)
  if (bytes === undefined) return undefined
  const start = number === 1 ? 100 : 0
  const kind = KINDS[bytes[start] as keyof typeof KINDS]
  if (kind === undefined) return undefined
  const isLeaf = kind.endsWith('leaf')
  const count = bytes.readUInt16BE(start + 3)
  const first = start + (isLeaf ? 8 : 12)
  const end = first + 2 * count
  if (end > file.usableBytes) return undefined
  const cells = Array.from({ length: count }, (_, i) => bytes.readUInt16BE(first + 2 * i))
  if (cells.some((at) => at < end || at > file.usableBytes - 4)) return undefined
  return { kind, bytes, cells, right: isLeaf ? 0 : bytes.readUInt32BE(start + 8) }
}

/** A cell of a `table` page: rows up to `key` are below `child`. */
export function readChild(bytes: Buffer, at: number): { child: number; key: number } | undefined {
  const key = readVarint(bytes, at + 4)
  return key === undefined ? undefined : { child: bytes.readUInt32BE(at), key: key.value }
}

/** A cell of a `table-leaf` page. */
export function readRow(file: PageFile, bytes: Buffer, at: number): Row | undefined {
  const length = readVarint(bytes, at)
  const rowid = length === undefined ? undefined : readVarint(bytes, length.end)
  if (length === undefined || rowid === undefined) return undefined
  const record = readPayload(file, bytes, rowid.end, length.value, file.usableBytes - 35)
  return record === undefined ? undefined : { rowid: rowid.value, record }
}

/** A cell of an index page. */
export function readKey(file: PageFile, bytes: Buffer, at: number): Buffer | undefined {
  const length = readVarint(bytes, at)
  if (length === undefined) return undefined
  const most = Math.floor(((file.usableBytes - 12) * 64) / 255) - 23
  return readPayload(file, bytes, length.end, length.value, most)
}

/** The payload of a cell: what does not fit is in a chain of other pages. */
function readPayload(
  file: PageFile,
  bytes: Buffer,
  at: number,
  length: number,
  most: number,
): Buffer | undefined {
  const { usableBytes, pageCount } = file
  const least = Math.floor(((usableBytes - 12) * 32) / 255) - 23
  if (length > pageCount * usableBytes) return undefined
  const fitting = least + ((length - least) % (usableBytes - 4))
  const local = length <= most ? length : fitting <= most ? fitting : least
  const end = at + local
  if (end + (local < length ? 4 : 0) > usableBytes) return undefined
  const parts = [bytes.subarray(at, end)]
  let left = length - local
  let next = left > 0 ? bytes.readUInt32BE(end) : 0
  while (left > 0) {
    const page = next < 1 || next > pageCount ? undefined : file.page(next)
    if (page === undefined) return undefined
    const part = page.subarray(4, Math.min(usableBytes, 4 + left))
    parts.push(part)
    left -= part.length
    next = page.readUInt32BE(0)
  }
  // The last page of a chain names no other one. Garbage does.
  if (next !== 0) return undefined
  return parts.length === 1 ? parts[0] : Buffer.concat(parts)
}

/** A number of 1 to 9 bytes. Undefined for one that Sluice never writes: negative, or too large. */
function readVarint(
  bytes: Buffer,
  at: number,
): { readonly value: number; readonly end: number } | undefined {
  let value = 0
  for (let i = 0; i < 8; i += 1) {
    const byte = bytes[at + i]
    if (byte === undefined) return undefined
    value = value * 128 + (byte & 127)
    if (value > Number.MAX_SAFE_INTEGER) return undefined
    if (byte < 128) return { value, end: at + i + 1 }
  }
  return undefined
}

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
