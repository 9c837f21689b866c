import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll } from 'vitest'

/** A request as its bytes came, secrets included: for tests of what the gateway sends. */
interface Recorded {
  readonly method: string
  readonly target: string
  readonly headers: IncomingMessage['headers']
  /** As they were written, in order. */
  readonly headerNames: readonly string[]
  readonly body: string
}

interface CannedResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer
}

export interface RecordingUpstream {
  readonly url: string
  /** All calls except reads of the time, oldest first. */
  readonly recorded: Recorded[]
  /** Its response from now on; a plain success when undefined. */
  response: CannedResponse | undefined
  /** From now on it responds with 200 and this JSON. */
  say(body: string): void
}

const JSON_TYPE = { 'content-type': 'application/json' }

/**
 * An exchange that knows its time and gives the set response to everything else; it closes after
 * the file's tests.
 */
export async function recordingUpstream(): Promise<RecordingUpstream> {
  const recorded: Recorded[] = []
  const upstream: RecordingUpstream & { url: string } = {
    ...{ url: '', recorded, response: undefined },
    say(body) {
      upstream.response = { status: 200, headers: JSON_TYPE, body }
    },
  }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const time = timeAt(request.url ?? '')
      if (time === undefined)
        recorded.push({
          ...{ method: request.method ?? '', target: request.url ?? '', headers: request.headers },
          headerNames: request.rawHeaders.filter((_, index) => index % 2 === 0),
          body: Buffer.concat(chunks).toString(),
        })
      const { status, headers, body } =
        time !== undefined || upstream.response === undefined
          ? { status: 200, headers: JSON_TYPE, body: time ?? successAt(request.url ?? '') }
          : upstream.response
      response.writeHead(status, headers).end(body)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  upstream.url = `http://127.0.0.1:${port}`
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  return upstream
}

function timeAt(target: string): string | undefined {
  if (target === '/api/v3/time') return `{"serverTime":${Date.now()}}`
  if (target !== '/api/v2/public/time') return undefined
  return `{"code":"00000","msg":"success","data":{"serverTime":"${Date.now()}"}}`
}

function successAt(target: string): string {
  if (target.startsWith('/api/v1/')) return '{"success":true,"code":0,"data":null}'
  if (/^\/api\/v3\/order\b/.test(target)) return '{"orderId":"C02__1"}'
  return target.startsWith('/api/v2/') ? '{"code":"00000","msg":"success","data":null}' : '{}'
}
