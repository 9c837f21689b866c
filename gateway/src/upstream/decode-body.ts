import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate, zstdDecompress } from 'node:zlib'
import type { UpstreamResponse } from '../exchanges/exchange.ts'

/** The longest body once it is decoded, like that of one that is not encoded. */
const BYTES_MAX = 8 * 1024 * 1024

/** The codings of RFC 9110, 8.4.1, and what else servers send without being asked. */
const DECODERS: Readonly<Record<string, (body: Buffer, options: object) => Promise<Buffer>>> = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
}

/**
 * A response whose body is not encoded. The gateway asks for no coding, but without
 * `Accept-Encoding` a server may choose one (RFC 9110, 12.5.3), and only a plain body can be
 * understood and passed on.
 * @returns with an empty body, and its coding, when that cannot be undone (`isEncoded`)
 */
export async function decodeBody(response: UpstreamResponse): Promise<UpstreamResponse> {
  const coding = codingOf(response)
  if (coding === undefined) return response
  try {
    const decode = DECODERS[coding]
    if (decode === undefined) throw new TypeError(`The coding ${coding} is not known`)
    const body = await decode(response.body, { maxOutputLength: BYTES_MAX })
    const { 'content-encoding': _, 'content-length': __, ...headers } = response.headers
    return { ...response, headers, body }
  } catch {
    // Whoever uses the response sees by its coding that there is no body.
    return { ...response, body: Buffer.alloc(0) }
  }
}

/** Whether the body is encoded; after `decodeBody`, that it cannot be decoded. */
export function isEncoded(response: UpstreamResponse): boolean {
  return codingOf(response) !== undefined
}

function codingOf({ headers }: UpstreamResponse): string | undefined {
  const value = headers['content-encoding']
  if (value === undefined) return undefined
  const coding = `${value}`.trim().toLowerCase()
  return coding === '' || coding === 'identity' ? undefined : coding
}
