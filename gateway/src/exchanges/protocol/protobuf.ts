/** A field's value: a whole number, or the bytes of a text or message. */
type ProtobufValue = bigint | Buffer

/** The fields of a message by number; of one that is there several times, the last. */
export type ProtobufMessage = ReadonlyMap<number, ProtobufValue>

const VARINT = 0n
const EIGHT_BYTES = 1n
const LENGTH_DELIMITED = 2n
const FOUR_BYTES = 5n
/** A number of 64 bits has no more bytes. */
const VARINT_BYTES_MAX = 10

/**
 * Reads a protobuf message, in the two wire types that MEXC has (docs/exchanges/streams.md, 2);
 * fields that nobody asks for do not matter. As in proto3, a field at its default is absent.
 * @returns undefined when the bytes end too early, or are no message
 */
export function readMessage(bytes: Buffer): ProtobufMessage | undefined {
  const fields = new Map<number, ProtobufValue>()
  let at = 0
  const varint = (): bigint | undefined => {
    let value = 0n
    for (let nth = 0; nth < VARINT_BYTES_MAX; nth += 1) {
      const byte = bytes[at]
      if (byte === undefined) return undefined
      at += 1
      value |= BigInt(byte & 0x7f) << BigInt(nth * 7)
      if (byte < 0x80) return BigInt.asUintN(64, value)
    }
    return undefined
  }
  const skipped = (length: bigint | undefined): Buffer | undefined => {
    if (length === undefined || length > BigInt(bytes.length - at)) return undefined
    const start = at
    at += Number(length)
    return bytes.subarray(start, at)
  }
  while (at < bytes.length) {
    const tag = varint()
    if (tag === undefined || tag >> 3n === 0n) return undefined
    const wireType = tag & 7n
    const value =
      wireType === VARINT
        ? varint()
        : wireType === LENGTH_DELIMITED
          ? skipped(varint())
          : wireType === EIGHT_BYTES || wireType === FOUR_BYTES
            ? skipped(wireType === EIGHT_BYTES ? 8n : 4n)
            : undefined
    if (value === undefined) return undefined
    fields.set(Number(tag >> 3n), value)
  }
  return fields
}

/** Undefined where the field is absent, or no text. */
export function textIn(message: ProtobufMessage, field: number): string | undefined {
  const value = message.get(field)
  return Buffer.isBuffer(value) ? value.toString('utf8') : undefined
}

/** 0 where the field is absent, or no number that a double holds. */
export function numberIn(message: ProtobufMessage, field: number): number {
  const value = message.get(field)
  return typeof value === 'bigint' && value <= Number.MAX_SAFE_INTEGER ? Number(value) : 0
}

/** Undefined where the field is absent, or no message. */
export function messageIn(message: ProtobufMessage, field: number): ProtobufMessage | undefined {
  const value = message.get(field)
  return Buffer.isBuffer(value) ? readMessage(value) : undefined
}
