import { expect, onTestFinished, test } from 'vitest'
import {
  nameBotOrders,
  payloadOf,
  readBotCall,
  readBotCallHead,
} from '../src/exchanges/bot-call.ts'
import type { UpstreamCall } from '../src/exchanges/exchange.ts'
import { datedOrderKey, type OrderKey } from '../src/exchanges/order-lookup/order-key.ts'
import { canBeLookedUp, foundResponseFor, lookupsOfAll } from '../src/exchanges/order-lookups.ts'
import { entryDoubts } from '../src/exchanges/order-results.ts'
import { readRules, readTime, rulesCall, timeCall } from '../src/exchanges/public-data.ts'
import { readResponse } from '../src/exchanges/read-response.ts'
import { createAdapters } from '../src/exchanges/registry.ts'
import { signCall } from '../src/upstream/sign-and-send.ts'
import { createTransport } from '../src/upstream/transport.ts'
import { toy } from './toy-exchange/index.ts'
import { TOY, TOY_CODE } from './toy-exchange/names.ts'
import { startToyServer } from './toy-exchange/server.ts'

// An exchange is one folder: everything below the lane works with one that the gateway has never
// heard of.

const adapters = createAdapters([toy])
const keys = { apiKey: 'toy-key', apiSecret: 'toy-secret' }
const NOW = 1_800_000_000_000

async function toyTrip() {
  const server = await startToyServer(keys, () => NOW)
  const origins = { 'mexc-spot': '', 'mexc-futures': '', bitget: '', [TOY]: server.url }
  const transport = createTransport({
    ...{ origins, timeoutMs: 5_000, maxResponseBytes: 100_000, adapters },
  })
  onTestFinished(async () => {
    await transport.close()
    await server.close()
  })
  const send = (call: UpstreamCall) =>
    transport.send(call.family, signCall(call, keys, NOW, adapters))
  const ask = async (call: UpstreamCall) => readResponse(call, await send(call), adapters)
  return { server, send, ask }
}

function botCall(body: string) {
  const request = { method: 'POST', target: '/toy/orders', headers: {} }
  return readBotCall(readBotCallHead(TOY_CODE, request, adapters), body, undefined, adapters)
}

const BODY = '{"pair":"TOY-USDT", "side":"buy","kind":"limit","price":"1.50","amount":2.5}'

test("a bot's order is signed, sent and understood", async () => {
  const { server, ask } = await toyTrip()
  const bot = botCall(BODY)
  const { call, order } = nameBotOrders(bot, 'sl-1', adapters)
  expect(payloadOf(bot, adapters).url).toBe('/toy/orders')
  expect(call.body).toBe(BODY.replace('{', '{"tag":"sl-1",'))
  expect(order).toMatchObject({
    ...{ exchange: 'ty', family: 'toy', symbol: 'TOY-USDT', clientOrderId: 'sl-1' },
    terms: { side: 'buy', kind: 'limit', price: '1.5', size: '2.5' },
  })
  expect(await ask(call)).toEqual({ kind: 'ok', data: { id: '1', tag: 'sl-1' } })
  expect(server.orders).toMatchObject([{ pair: 'TOY-USDT', tag: 'sl-1' }])

  const again = await ask(call)
  expect(again).toMatchObject({ kind: 'rejected', rejection: { class: 'duplicate' } })
  expect(entryDoubts(again, order, adapters)).toEqual([
    { kind: 'duplicate', clientOrderId: 'sl-1' },
  ])
})

test('an order whose response was lost is found in every list, and returned in the form of the lost response', async () => {
  const { server, ask } = await toyTrip()
  const { call, order } = nameBotOrders(botCall(BODY), 'sl-1', adapters)
  server.loseNextResponse()
  await expect(ask(call)).rejects.toMatchObject({ code: 'EXCHANGE_CONNECTION_LOST', sent: true })
  if (order === undefined) throw new Error('The order has no key')
  expect(canBeLookedUp(order, adapters)).toBe(true)
  // As it is written down and read again.
  const kept: OrderKey = JSON.parse(JSON.stringify(datedOrderKey(order, 'sl-1', NOW)))
  const [lookups] = lookupsOfAll(kept, NOW, NOW, null, adapters)
  const findings = []
  for (const lookup of lookups?.lookups ?? []) findings.push(lookup.read(await ask(lookup.call)))
  expect(findings).toMatchObject([
    { orderId: '1', clientOrderId: 'sl-1', state: 'open' },
    { orderId: '1', clientOrderId: 'sl-1', state: 'open' },
  ])
  const [found] = findings
  if (found === undefined || typeof found === 'string') throw new Error('The order was not found')
  expect(foundResponseFor(kept, [found], NOW, adapters)).toEqual({
    status: 200,
    body: '{"ok":true,"result":{"id":"1","tag":"sl-1"}}',
  })
})

test('an order that never arrived is proven to be nowhere', async () => {
  const { ask } = await toyTrip()
  const { order } = nameBotOrders(botCall(BODY), 'sl-2', adapters)
  if (order === undefined) throw new Error('The order has no key')
  const [lookups] = lookupsOfAll(order, NOW, NOW, null, adapters)
  for (const lookup of lookups?.lookups ?? [])
    expect(lookup.read(await ask(lookup.call))).toBe('absent')
})

test('its time and its rules are asked for and read', async () => {
  const { send, ask } = await toyTrip()
  expect(readTime(TOY, await send(timeCall(TOY, adapters)), adapters)).toBe(NOW)
  const rulesOf = async (symbol: string) => {
    const key = { exchange: TOY_CODE, market: 'spot', symbol } as const
    return readRules(key, await ask(rulesCall(key, adapters)), adapters)
  }
  expect(await rulesOf('TOY-USDT')).toMatchObject({ sizeStep: '0.5', tradable: true })
  expect(await rulesOf('NO-PAIR')).toBeUndefined()
})

test('what its policy does not name is rejected, in its name', () => {
  for (const target of ['/toy/withdrawals', '/api/v3/order'])
    expect(() =>
      readBotCallHead(TOY_CODE, { method: 'POST', target, headers: {} }, adapters),
    ).toThrow(
      expect.objectContaining({
        code: 'ENDPOINT_FORBIDDEN',
        message: expect.stringContaining('Toy'),
      }),
    )
})
