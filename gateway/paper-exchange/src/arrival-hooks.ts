import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Accounts } from './account.ts'
import { isUnifiedPath } from './bitget/unified-routes.ts'
import { ARRIVAL, type Arrival, splitOnce } from './exchange-request.ts'
import { type Faults, isAfter, misbehave } from './faults.ts'
import type { ExchangeCode } from './market.ts'
import { publicHeaders, type ReceivedRequests, withoutSignature } from './received.ts'

interface ArrivalHooksOptions {
  readonly accounts: Accounts
  readonly faults: Faults
  readonly received: ReceivedRequests
  readonly nowMs: () => number
  readonly monotonicMs: () => number
  readonly witness?: ((text: string) => void) | undefined
}

/** Notes every request to an exchange as it arrives, and applies faults to it. */
export const arrivalHooks = fp<ArrivalHooksOptions>(
  async (app: FastifyInstance, options) => {
    const { faults, received, nowMs, monotonicMs, witness } = options
    app.decorateRequest(ARRIVAL, null)

    app.addHook('onRequest', async (request) => {
      const arrivedAtMonotonicMs = monotonicMs()
      const arrivedAtMs = nowMs()
      const [path, query] = splitOnce(request.raw.url ?? '')
      const exchange = exchangeOf(path)
      if (exchange === null) return
      witness?.([request.method, request.raw.url, ...request.raw.rawHeaders].join('\n'))
      const account = accountNameOf(request, exchange, options.accounts)
      const like = { exchange, method: request.method, path, account }
      const fault = faults.take(like)
      const noted = received.add({
        ...like,
        query: withoutSignature(query),
        body: '',
        headers: publicHeaders(request.headers),
        arrivedAtMs,
        arrivedAtMonotonicMs,
        status: null,
        ...(fault === null ? {} : { fault: fault.kind }),
      })
      request.setDecorator<Arrival>(ARRIVAL, {
        received: noted,
        nowMs: arrivedAtMs + faults.takeClockOffsetMs(like),
        fault,
      })
    })

    app.addHook('preHandler', async (request, reply) => {
      const arrival = request.getDecorator<Arrival | null>(ARRIVAL)
      if (arrival === null) return
      if (Buffer.isBuffer(request.body)) {
        witness?.(request.body.toString())
        arrival.received.body = withoutSignature(request.body.toString())
      }
      const { fault } = arrival
      if (fault === null || isAfter(fault)) return
      arrival.fault = null
      const text = await misbehave(fault, { request, reply, response: null }, arrival.received)
      if (text === undefined) return reply.hijack()
      if (fault.kind !== 'slow') return reply.send(text)
    })

    app.addHook('onSend', async (request, reply, payload) => {
      const arrival = request.getDecorator<Arrival | null>(ARRIVAL)
      if (arrival === null) return payload
      const { fault } = arrival
      arrival.fault = null
      const response = typeof payload === 'string' ? payload : ''
      const code = /^{"code":"?(-?\w+)/.exec(response)?.[1]
      if (code !== undefined) arrival.received.code = code
      const text =
        fault === null
          ? response
          : await misbehave(fault, { request, reply, response }, arrival.received)
      if (text !== undefined) arrival.received.status = reply.statusCode
      return text ?? ''
    })
  },
  { name: 'arrival-hooks', fastify: '5.x' },
)

/** Null: the control interface, or nothing that an exchange would have. */
function exchangeOf(path: string): ExchangeCode | null {
  if (path.startsWith('/api/v2/') || isUnifiedPath(path)) return 'bg'
  return path.startsWith('/api/v3/') || path.startsWith('/api/v1/') ? 'mx' : null
}

function accountNameOf(
  { headers }: FastifyRequest,
  exchange: ExchangeCode,
  accounts: Accounts,
): string | null {
  const sent =
    exchange === 'bg' ? headers['access-key'] : (headers['x-mexc-apikey'] ?? headers.apikey)
  return typeof sent === 'string' ? (accounts.byApiKey(exchange, sent)?.name ?? null) : null
}
