import {
  bgFuturesPlaceOrder,
  bgGetAccountInfo,
  bgSpotHistory,
  bgSpotOrderbook,
  bgSpotPlaceOrder,
  bgSpotTickers,
  createClient,
  deleteClient,
  dropQueueOfClient,
  type Endpoint,
  EXCHANGES,
  type ExchangeCode,
  getToken,
  listClients,
  login,
  mxGetAccountInfo,
  mxOrderHistory,
  mxSubmitOrder,
  mxTickerPrice,
  saveApiKey,
  testApiKey,
  toggleClient,
  type User,
  urlOf,
} from 'schema'
import { type CallInput, callGateway } from '../call-gateway.ts'
import { createAccount, deployLocally, type LocalDeployment } from '../deploy-locally.ts'

/** A deployment with an administrator who is signed in. */
export interface World extends LocalDeployment {
  readonly session: { readonly token: string; readonly user: User }
  readonly admin: ReturnType<typeof adminOf>
}

export interface NewSecret {
  readonly id: number
  readonly clientId: string
  readonly clientSecret: string
}

const ADMIN = { email: 'ada@sluice.example', password: 'correct horse battery staple' }
/** As a gateway has it that nobody configured. */
const RATE_PER_SECOND = 2

/** Deploys everything and signs in; the caller closes it. */
export async function startWorld(dist: string): Promise<World> {
  const deployment = await deployLocally({
    ...{ dist, admin: ADMIN, ratePerSecond: RATE_PER_SECOND, hasStreams: true },
  })
  const session = await callGateway(deployment, login, { body: ADMIN })
  return { ...deployment, session, admin: adminOf(deployment, session.token) }
}

/** What the administrator does; each throws with the gateway's words when it rejects the call. */
function adminOf(deployment: LocalDeployment, token: string) {
  const asAdmin = <E extends Endpoint>(endpoint: E, input: CallInput = {}) =>
    callGateway(deployment, endpoint, { ...input, token })
  const idOf = async (clientId: string) => {
    const clients = await asAdmin(listClients)
    return clients.find((client) => client.clientId === clientId)?.id
  }
  return {
    newClient: (clientId: string, description = ''): Promise<NewSecret> =>
      asAdmin(createClient, { body: { clientId, description } }),
    switch: async (clientId: string, isActive: boolean) =>
      void (await asAdmin(toggleClient, {
        params: { id: await idOf(clientId) },
        body: { isActive },
      })),
    /** Deletes a client, also one that was not made here. */
    remove: async (clientId: string) =>
      void (await asAdmin(deleteClient, { params: { id: await idOf(clientId) } })),
    /**
     * Opens an account at the paper exchange and stores its keys, with a wrong secret when they are
     * mistyped.
     */
    async newKeys(clientId: string, exchange: ExchangeCode, isMistyped: boolean) {
      const keys = createAccount(deployment.paper, exchange, clientId)
      const apiSecret = isMistyped ? 'mistyped' : keys.apiSecret
      const note = exchange === 'mx' ? 'main account' : 'sub-account 2'
      await asAdmin(saveApiKey, { body: { clientId, exchange, ...keys, apiSecret, note } })
    },
    testKeys: async (clientId: string, exchange: ExchangeCode) =>
      void (await asAdmin(testApiKey, { body: { clientId, exchange } })),
    /** Drops what waits of a client at an exchange. */
    dropQueue: async (clientId: string, exchange: ExchangeCode) =>
      void (await asAdmin(dropQueueOfClient, { params: { exchange }, query: { clientId } })),
    /** A bearer token of the client. */
    async token({ clientId, clientSecret }: NewSecret): Promise<string> {
      const body = { clientId, clientSecret }
      return (await callGateway(deployment, getToken, { body })).token
    },
  }
}

/** The bots that call; a retired one is in the list too. */
export type Bot = 'gridBot' | 'arbitrage' | 'marketMaker'

/**
 * One bot works at both exchanges, one has a mistyped key, one has keys that nobody tested, one is
 * switched off.
 */
export async function seedClients({ admin }: World): Promise<Record<Bot, NewSecret>> {
  const retired = await admin.newClient('momentum-2025')
  const marketMaker = await admin.newClient('market-maker-eu-west-1-production-a', 'Quotes SOL')
  const arbitrage = await admin.newClient('arbitrage', 'Watches spreads, trades rarely')
  const gridBot = await admin.newClient('grid-bot', 'BTC and ETH grid on both exchanges')
  for (const client of [marketMaker, arbitrage, gridBot]) {
    for (const exchange of EXCHANGES) {
      const isMistyped = client === arbitrage && exchange === 'mx'
      await admin.newKeys(client.clientId, exchange, isMistyped)
      if (client !== marketMaker) await admin.testKeys(client.clientId, exchange)
    }
  }
  await admin.switch(retired.clientId, false)
  return { gridBot, arbitrage, marketMaker }
}

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

/** Places an order that waits, and one that is filled at once. */
export async function trade({ gatewayUrl }: World, token: string): Promise<void> {
  const order = { symbol: 'BTC_USDT', side: 'BUY', type: 'MARKET', quantity: '0.01' }
  const call = sampleOf('gridBot', mxSubmitOrder)
  await send(gatewayUrl, call, token)
  await send(gatewayUrl, { ...call, body: order }, token)
}

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
