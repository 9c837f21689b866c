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
