import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import type { FastifyInstance } from 'fastify'

export interface RawResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Everything that came until the connection ended. */
  readonly text: string
}

export interface RawOptions {
  /** What is written when the first bytes of a response have come, or what makes it. */
  readonly later?: string | (() => Promise<string>)
}

/** An upper bound for a busy machine; nothing waits for it to pass. */
const QUIET_MS = 60_000

/**
 * Writes bytes to the app's socket as they are, also such that no honest HTTP client would send.
 * Reads until the app closes the connection.
 */
export async function sendRaw(
  app: FastifyInstance,
  bytes: string,
  { later = '' }: RawOptions = {},
): Promise<RawResponse> {
  if (app.server.address() === null) await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const text = await new Promise<string>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes, 'latin1'))
    let received = ''
    socket.setEncoding('utf8')
    socket.setTimeout(QUIET_MS, () => socket.destroy())
    socket.once('data', async () => {
      const rest = typeof later === 'string' ? later : await later()
      if (rest !== '') socket.write(rest, 'latin1')
    })
    socket.on('data', (chunk) => {
      received += chunk
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve(received))
  })
  return toResponse(text)
}

function toResponse(text: string): RawResponse {
  const [head = '', ...rest] = text.split('\r\n\r\n')
  const [statusLine = '', ...lines] = head.split('\r\n')
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
  })
  return {
    ...{ status: Number(statusLine.split(' ')[1]), headers: Object.fromEntries(headers) },
    ...{ body: rest.join('\r\n\r\n'), text },
  }
}
