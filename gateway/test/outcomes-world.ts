import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import { getRequest, getToken, urlOf } from 'schema'
import { createPaperExchange, type PaperExchange } from '../paper-exchange/src/paper-exchange.ts'
import { buildApp } from '../src/app.ts'
import { LOWEST_COST, testConfig } from './app.ts'
import { type BotClient, createBotClient } from './campaign/clients.ts'
import type { Intent } from './campaign/intent.ts'

/**
 * A gateway before a paper exchange, with one client; the exchange's clock moves in steps. The
 * caller closes it.
 */
export interface OutcomesWorld {
  readonly app: FastifyInstance
  readonly paper: PaperExchange
  /** A price that no order has yet. */
  nextPrice(): string
  submit(intent: Intent): Promise<LightMyRequestResponse>
  /** The gateway's report on a request; `id` as in X-Request-Id. */
  status(id: string): Promise<LightMyRequestResponse>
  /** More than the minute after which an order that is nowhere was not placed. */
  passAMinute(): void
  close(): Promise<void>
}

/** @param unified whether the client has Bitget's unified account */
export async function startOutcomesWorld(unified: boolean): Promise<OutcomesWorld> {
  let aheadMs = 0
  const paper = await createPaperExchange({ nowMs: () => Date.now() + aheadMs })
  let price = 200_001
  const app = await buildApp(testConfig(paper.url, { UPSTREAM_TIMEOUT_SECONDS: '1' }), {
    laneStartDelayMs: 0,
    passwordCost: LOWEST_COST,
    reconcile: { callerPausesMs: [0, 10, 20], backgroundPausesMs: [50, 100] },
    keyExpiry: { firstAfterMs: 24 * 3_600_000 },
  })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const bearer = await bearerOf(app, await createBotClient(url, paper.accounts, 'bot', { unified }))

  return {
    app,
    paper,
    nextPrice() {
      price += 10
      return `${Math.floor(price / 10)}.${price % 10}`
    },
    async submit({ path, body, idempotencyKey }) {
      return app.inject({
        method: 'POST',
        url: path,
        headers: {
          ...bearer,
          ...(idempotencyKey === null ? {} : { 'idempotency-key': `"${idempotencyKey}"` }),
        },
        payload: body,
      })
    },
    async status(id) {
      return app.inject({
        url: urlOf(getRequest, { params: { id } }),
        headers: bearer,
      })
    },
    passAMinute() {
      aheadMs += 61_000
    },
    async close() {
      await app.close()
      await paper.close()
    },
  }
}

async function bearerOf(app: FastifyInstance, { clientId, clientSecret }: BotClient) {
  const payload = { clientId, clientSecret }
  const { token } = (await app.inject({ method: 'POST', url: getToken.path, payload })).json()
  return { authorization: `Bearer ${token}` }
}
