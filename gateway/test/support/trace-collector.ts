import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

export interface CollectedSpan {
  readonly name: string
  readonly kind: number
  readonly traceId: string
  readonly spanId: string
  /** Empty for the first of a trace. */
  readonly parentId: string
  readonly startNs: bigint
  readonly endNs: bigint
  readonly attributes: Readonly<Record<string, string | number | boolean>>
  /** 0 unset, 2 error. */
  readonly status: number
}

/**
 * An OpenTelemetry collector: takes OTLP over HTTP in protobuf, reads it by the published field
 * numbers.
 */
export async function traceCollector() {
  const spans: CollectedSpan[] = []
  const resources: Record<string, unknown>[] = []
  /** Of each post, wherever it went to. */
  const posts: { readonly path: string | undefined; readonly headers: IncomingHttpHeaders }[] = []
  const server = createServer(async (request, response) => {
    const body = await buffer(request)
    posts.push({ path: request.url, headers: request.headers })
    if (request.url === '/v1/traces') {
      for (const group of all(body, 1)) {
        resources.push(...all(group, 1).map((resource) => attributesOf(resource, 1)))
        spans.push(...all(group, 2).flatMap((scope) => all(scope, 2).map(toSpan)))
      }
    }
    response.writeHead(request.url === '/v1/traces' ? 200 : 404).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, spans, resources, posts }
}

type Field = readonly [number: number, value: Buffer | bigint]

/** The fields of a protobuf message (protobuf.dev, "Encoding"). */
function fieldsOf(message: Buffer): Field[] {
  const fields: Field[] = []
  let at = 0
  const varint = () => {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = message.readUInt8(at)
      at += 1
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
  }
  const take = (length: number) => {
    at += length
    return message.subarray(at - length, at)
  }
  while (at < message.length) {
    const tag = Number(varint())
    const wire = tag & 7
    const value = wire === 0 ? varint() : take(wire === 1 ? 8 : wire === 5 ? 4 : Number(varint()))
    fields.push([tag >> 3, value])
  }
  return fields
}

const all = (message: Buffer, field: number): Buffer[] =>
  fieldsOf(message).flatMap(([number, value]) =>
    number === field && typeof value !== 'bigint' ? [value] : [],
  )

const bytes = (message: Buffer, field: number) => all(message, field)[0] ?? Buffer.alloc(0)
const number = (message: Buffer, field: number) =>
  Number(fieldsOf(message).find(([name]) => name === field)?.[1] ?? 0)

function toSpan(span: Buffer): CollectedSpan {
  return {
    ...{ name: bytes(span, 5).toString(), kind: number(span, 6) },
    ...{ traceId: bytes(span, 1).toString('hex'), spanId: bytes(span, 2).toString('hex') },
    ...{ parentId: bytes(span, 4).toString('hex'), startNs: bytes(span, 7).readBigUInt64LE() },
    ...{ endNs: bytes(span, 8).readBigUInt64LE(), attributes: attributesOf(span, 9) },
    status: number(bytes(span, 15), 3),
  }
}

function attributesOf(message: Buffer, field: number): CollectedSpan['attributes'] {
  return Object.fromEntries(
    all(message, field).map((pair) => [bytes(pair, 1).toString(), anyValueOf(bytes(pair, 2))]),
  )
}

/** AnyValue: 1 text, 2 boolean, 3 whole number, 4 double. */
function anyValueOf(value: Buffer): string | number | boolean {
  const [kind, found] = fieldsOf(value)[0] ?? [1, Buffer.alloc(0)]
  if (typeof found === 'bigint') return kind === 2 ? found === 1n : Number(found)
  return kind === 4 ? found.readDoubleLE() : found.toString()
}
