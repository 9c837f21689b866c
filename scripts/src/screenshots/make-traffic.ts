import {
  bgFuturesPlaceOrder,
  bgGetAccountInfo,
  bgSpotHistory,
  bgSpotOrderbook,
  bgSpotPlaceOrder,
  bgSpotTickers,
  type Endpoint,
  mxGetAccountInfo,
  mxOrderHistory,
  mxSubmitOrder,
  mxTickerPrice,
  urlOf,
} from 'schema'
import type { Bot } from './seed-clients.ts'
import type { World } from './start-world.ts'

interface Call {
  readonly bot: Bot
  readonly method: string
  readonly url: string
  readonly body?: unknown
}

const ROUNDS = 5
const sellEth = { symbol: 'ETHUSDT', side: 'sell', orderType: 'limit', force: 'gtc' }
const withoutPrice = { symbol: 'SOL_USDT', side: 'BUY', type: 'LIMIT', quantity: '5' }

// One round at each exchange: what bots do all day, and what goes wrong at times.
const MEXC: readonly Call[] = [
  sampleOf('gridBot', mxTickerPrice),
  sampleOf('gridBot', mxSubmitOrder),
  sampleOf('marketMaker', mxGetAccountInfo),
  sampleOf('gridBot', mxOrderHistory),
  { ...sampleOf('marketMaker', mxSubmitOrder), body: withoutPrice },
  sampleOf('arbitrage', mxTickerPrice),
]
const BITGET: readonly Call[] = [
  sampleOf('gridBot', bgSpotTickers),
  { ...sampleOf('gridBot', bgSpotPlaceOrder), body: { ...sellEth, size: '0.5', price: '2610' } },
  sampleOf('arbitrage', bgSpotOrderbook),
  sampleOf('marketMaker', bgFuturesPlaceOrder),
  sampleOf('marketMaker', bgGetAccountInfo),
  sampleOf('gridBot', bgSpotHistory),
  { ...sampleOf('arbitrage', bgSpotPlaceOrder), body: { ...sellEth, size: '900', price: '2610' } },
]

/** 65 requests of the bots at the pace of the lanes; some are rejected. */
export async function makeTraffic(
  { gatewayUrl }: World,
  tokens: Record<Bot, string>,
): Promise<void> {
  const run = async (calls: readonly Call[]) => {
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const call of calls) await send(gatewayUrl, call, tokens[call.bot])
    }
  }
  await Promise.all([run(MEXC), run(BITGET)])
}

/** Found by its own id, `CLIENT_ORDER_ID`: its response was lost, and the gateway looked it up. */
export async function loseResponse({ gatewayUrl, paper }: World, token: string): Promise<void> {
  paper.faults.add({ kind: 'reset-after', times: 1, match: { path: '/api/v3/order' } })
  const order = { symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT', quantity: '0.01', price: '50000' }
  const body = { ...order, clientOrderId: CLIENT_ORDER_ID }
  await send(gatewayUrl, { ...sampleOf('gridBot', mxSubmitOrder), body }, token)
}
export const CLIENT_ORDER_ID = 'grid-7-42'

const FLOOD = 60

/** Sends more orders than MEXC takes in half a minute; resolves when all have a response. */
export async function flood({ gatewayUrl }: World, token: string): Promise<void> {
  const order = sampleOf('gridBot', mxSubmitOrder)
  await Promise.all(Array.from({ length: FLOOD }, () => send(gatewayUrl, order, token)))
}

/** The call that the endpoint's page shows. */
function sampleOf(bot: Bot, endpoint: Endpoint): Call {
  const { method, sample = {} } = endpoint
  return { bot, method, url: urlOf(endpoint, { query: sample.query ?? {} }), body: sample.body }
}

// Rejections are wanted here; only a gateway that does not respond is a failure.
async function send(gatewayUrl: string, call: Call, token: string): Promise<void> {
  const { method, url, body } = call
  const response = await fetch(`${gatewayUrl}${url}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  await response.arrayBuffer()
}
