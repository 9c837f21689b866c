import { once } from 'node:events'
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ExchangeCode } from './market.ts'
import { isPathLike, type ReceivedRequest } from './received.ts'

export const FAULT_KINDS = [
  'slow',
  'reset-before',
  'reset-after',
  'timeout-before',
  'timeout-after',
  '429',
  '418',
  '510',
  '5xx',
  'html',
  'cdn',
  'truncated',
  'garbage',
  'empty',
  'oversized',
  'wrong-clock',
] as const
export type FaultKind = (typeof FAULT_KINDS)[number]

/** Which requests a fault applies to: those that match every given field. */
interface FaultMatch {
  readonly exchange?: ExchangeCode | undefined
  readonly method?: string | undefined
  /** Exact, or with a star at its end. */
  readonly path?: string | undefined
  /** The name of the account whose key the request carries; a public call has none. */
  readonly account?: string | null | undefined
}

export interface Fault {
  readonly kind: FaultKind
  readonly match?: FaultMatch | undefined
  /**
   * How many requests it applies to; 1 when absent (a wrong clock: until cleared), 0 until cleared.
   */
  readonly times?: number | undefined
  /** `slow`: how long the response is delayed, ms; 1,000 when absent. */
  readonly delayMs?: number | undefined
  /** `429`, `418`: the header Retry-After; left out when absent. */
  readonly retryAfterSeconds?: number | undefined
  /** `5xx`: 500 when absent. `html`: 502 when absent. `cdn`: 451 when absent. */
  readonly status?: number | undefined
  /**
   * Whether the exchange takes the request in before it fails. Before: nothing happened. After: an
   * order exists. `slow`, `truncated`, `garbage`, `empty`, `oversized` come after when absent,
   * `5xx`, `html`, `cdn`, `429` and `418` before.
   */
  readonly when?: 'before' | 'after' | undefined
  /** `wrong-clock`: what is added to the true time, ms, may be negative. */
  readonly offsetMs?: number | undefined
  /** `oversized`: size of the response; 64 MiB when absent. */
  readonly bytes?: number | undefined
}

interface ArmedFault {
  readonly fault: Fault
  /** Null: until cleared. */
  left: number | null
}

/** The misbehaviour that was asked for, used up in the order in which it was added. */
export class Faults {
  #armed: ArmedFault[] = []

  add(fault: Fault): void {
    const times = fault.times ?? (fault.kind === 'wrong-clock' ? 0 : 1)
    this.#armed.push({ fault, left: times === 0 ? null : times })
  }

  clear(): void {
    this.#armed = []
  }

  list(): readonly Fault[] {
    return this.#armed.map(({ fault, left }) => ({ ...fault, times: left ?? 0 }))
  }

  /**
   * The fault that applies to this request, except a wrong clock; null when the exchange behaves.
   */
  take(request: Required<FaultMatch>): Fault | null {
    return this.#use((fault) => fault.kind !== 'wrong-clock' && isHit(fault, request))
  }

  /** By how much the exchange's clock is wrong for this request, ms. */
  takeClockOffsetMs(request: Required<FaultMatch>): number {
    const fault = this.#use(
      (candidate) => candidate.kind === 'wrong-clock' && isHit(candidate, request),
    )
    return fault?.offsetMs ?? 0
  }

  #use(isWanted: (fault: Fault) => boolean): Fault | null {
    const armed = this.#armed.find(({ fault }) => isWanted(fault))
    if (armed === undefined) return null
    if (armed.left !== null) armed.left -= 1
    if (armed.left === 0) this.#armed = this.#armed.filter((other) => other !== armed)
    return armed.fault
  }
}

function isHit({ match = {} }: Fault, request: Required<FaultMatch>): boolean {
  const { exchange, method, path, account } = match
  return (
    (exchange === undefined || exchange === request.exchange) &&
    (method === undefined || method.toUpperCase() === request.method) &&
    (account === undefined || account === request.account) &&
    (path === undefined || isPathLike(request.path ?? '', path))
  )
}

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
