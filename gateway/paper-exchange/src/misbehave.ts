import { once } from 'node:events'
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Fault } from './faults.ts'
import type { ReceivedRequest } from './received.ts'

const OVERSIZED_BYTES = 64 * 1024 * 1024
const HTML_PAGE =
  '<!DOCTYPE html><html><head><title>Error</title></head><body><h1>The page cannot be shown</h1></body></html>'
const CANNED_RESPONSE =
  '{"code":"00000","msg":"success","requestTime":1785000000000,"data":{"orderId":"1"}}'

/** Whether the fault strikes after the exchange took the request in. */
export function isAfter({ kind, when }: Fault): boolean {
  if (kind === 'reset-after' || kind === 'timeout-after') return true
  if (['5xx', 'html', 'cdn', '429', '418'].includes(kind)) return when === 'after'
  if (['slow', 'truncated', 'garbage', 'empty', 'oversized'].includes(kind))
    return when !== 'before'
  return false
}

/**
 * Applies a fault. Returns the text to send in place of the response, or undefined when nothing is
 * sent because the connection is gone. A slow exchange returns the response it was given.
 */
export async function misbehave(
  fault: Fault,
  {
    request,
    reply,
    response,
  }: { request: FastifyRequest; reply: FastifyReply; response: string | null },
  received: ReceivedRequest,
): Promise<string | undefined> {
  const text = response ?? CANNED_RESPONSE
  const json = (status: number, body: string) => {
    reply.code(status).header('content-type', 'application/json;charset=UTF-8')
    return body
  }
  switch (fault.kind) {
    case 'slow':
      await waitOrClose(request.raw.socket, fault.delayMs ?? 1_000)
      return response ?? ''
    case 'reset-before':
    case 'reset-after':
      request.raw.socket.resetAndDestroy()
      return undefined
    case 'timeout-before':
    case 'timeout-after':
      if (!request.raw.socket.destroyed) await once(request.raw.socket, 'close')
      return undefined
    case '429':
    case '418':
      if (fault.retryAfterSeconds !== undefined)
        reply.header('retry-after', fault.retryAfterSeconds)
      return json(Number(fault.kind), codeBody(received, fault.kind, 'Too Many Requests'))
    case '510':
      return json(
        200,
        codeBody(received, '510', 'Requests are too frequent, please try again later!'),
      )
    case '5xx':
      return json(fault.status ?? 500, codeBody(received, `${fault.status ?? 500}`, 'System error'))
    case 'html':
      reply.code(fault.status ?? 502).header('content-type', 'text/html; charset=utf-8')
      return HTML_PAGE
    // A CDN or firewall in front of an exchange responds with JSON of its own.
    case 'cdn':
      return json(fault.status ?? 451, '{"message":"blocked by edge policy"}')
    case 'truncated':
      return json(200, text.slice(0, Math.floor(text.length / 2)))
    case 'garbage':
      return json(200, '\u0000\u0001garbage, not JSON }{][')
    case 'empty':
      return json(200, '')
    case 'oversized':
      return json(200, `{"padding":"${'x'.repeat(fault.bytes ?? OVERSIZED_BYTES)}"}`)
    case 'wrong-clock':
      return response ?? ''
  }
}

/** Waits, but no longer than the connection lives. */
function waitOrClose(socket: Socket, waitMs: number): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      socket.off('close', done)
      resolve()
    }
    const timer = setTimeout(done, waitMs)
    socket.once('close', done)
  })
}

function codeBody({ exchange, path }: ReceivedRequest, code: string, message: string): string {
  if (exchange === 'bg') {
    return JSON.stringify({ code, msg: message, requestTime: Date.now(), data: null })
  }
  return path.startsWith('/api/v1/')
    ? JSON.stringify({ success: false, code: Number(code), message })
    : JSON.stringify({ code: Number(code), msg: message })
}
