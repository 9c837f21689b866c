import type { LightMyRequestResponse } from 'fastify'
import {
  type ClientLimitChanges,
  type ExchangeCode,
  getOwnLimits,
  getRequest,
  replaceClientLimits,
  urlOf,
} from 'schema'
import { expect } from 'vitest'
import type { TestApp, TestClientOptions } from '../app.ts'

/**
 * A new bot of an app in front of an exchange that has seen nothing yet; a text goes as the body
 * that it is.
 */
export async function botOf(t: TestApp, options?: TestClientOptions) {
  t.paper.clearReceived()
  const { headers, clientId, id, keys } = await t.client(undefined, options)
  return {
    ...t,
    ...{ clientId, id, keys, headers },
    get: (url: string, more: Record<string, string> = {}) =>
      t.app.inject({ url, headers: { ...headers, ...more } }),
    post: (url: string, payload: object | string, more: Record<string, string> = {}) =>
      t.app.inject({
        method: 'POST',
        url,
        headers: { ...headers, 'content-type': 'application/json', ...more },
        payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
      }),
    /** The data of an administrator's call. */
    async admin(method: 'GET' | 'PATCH' | 'POST', path: string, payload?: object) {
      const call = { method, url: `/api/admin${path}`, headers: t.asAdmin }
      return (await t.app.inject(payload === undefined ? call : { ...call, payload })).json()
    },
    /** Sets its limits as a whole. */
    async limit(limits: ClientLimitChanges) {
      const set = await t.call(replaceClientLimits, { params: { id }, body: limits })
      expect(set.status, set.text).toBe(200)
    },
    /** What it has used of its limits, as it sees it. */
    usage: async () => (await t.call(getOwnLimits, {}, { headers })).body.usage,
    /** Its own orders at an exchange. */
    orders: (exchange: ExchangeCode) =>
      t.paper.orders(exchange).filter(({ account }) => account === `${clientId}-${exchange}`),
    /** What the gateway reports on its request. */
    async requestOf(response: LightMyRequestResponse) {
      const url = urlOf(getRequest, { params: { id: `${response.headers['x-request-id']}` } })
      return (await t.app.inject({ url, headers })).json()
    },
  }
}
export type Bot = Awaited<ReturnType<typeof botOf>>

/**
 * An order breaks a rule of its symbol: it is rejected by field, with the valid bound, and nothing
 * is sent.
 */
export async function expectInvalid(
  bot: Bot,
  url: string,
  order: object,
  { field, words }: { readonly field: string; readonly words: string },
): Promise<void> {
  const rejected = await bot.post(url, order)
  expect(rejected.statusCode).toBe(400)
  const { code, outcome, fields } = rejected.json()
  expect({ code, outcome }).toEqual({ code: 'ORDER_INVALID', outcome: 'not-sent' })
  expect(fields).toMatchObject([{ field, message: expect.stringContaining(words) }])
  expect(bot.paper.received().filter(({ method }) => method !== 'GET')).toEqual([])
}

/**
 * An order does not fit the endpoint's schema: it is rejected by field before any call to the
 * exchange.
 */
export async function expectUnfit(bot: Bot, url: string, order: object, field: string) {
  const rejected = await bot.post(url, order)
  expect(rejected.statusCode).toBe(400)
  expect(rejected.json()).toMatchObject({ code: 'VALIDATION_FAILED', fields: [{ field }] })
  expect(bot.paper.received()).toEqual([])
}
