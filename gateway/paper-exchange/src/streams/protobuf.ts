/** A field of a message: text, a number that is no fraction, a flag, or a message. */
export type ProtobufValue = string | number | bigint | boolean | Buffer | undefined

const VARINT = 0n
const LENGTH_DELIMITED = 2n

/**
 * A protobuf message of numbered fields, in wire types 0 and 2, which is all that MEXC has. As in
 * proto3, a field at its default (empty, 0, false) is left out; a list of messages is a field for
 * each.
 */
export function writeMessage(fields: readonly (readonly [number, ProtobufValue])[]): Buffer {
  return Buffer.concat(fields.flatMap(([number, value]) => field(BigInt(number), value)))
}

function field(number: bigint, value: ProtobufValue): Buffer[] {
  if (value === undefined || value === '' || value === false) return []
  if (typeof value === 'string') return [delimited(number, Buffer.from(value))]
  if (Buffer.isBuffer(value)) return [delimited(number, value)]
  const whole = BigInt(value)
  return whole === 0n ? [] : [varint((number << 3n) | VARINT), varint(whole)]
}

const delimited = (number: bigint, bytes: Buffer): Buffer =>
  Buffer.concat([varint((number << 3n) | LENGTH_DELIMITED), varint(BigInt(bytes.length)), bytes])

/** Seven bits a byte, the lowest first. */
function varint(value: bigint): Buffer {
  const bytes: number[] = []
  let rest = BigInt.asUintN(64, value)
  while (rest > 127n) {
    bytes.push(Number(rest & 127n) | 128)
    rest >>= 7n
  }
  return Buffer.from([...bytes, Number(rest)])
}
