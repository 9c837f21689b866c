import { type Keyring, thiefWorld } from '../thief/world.ts'
import { ownErrorOf } from './call.ts'

export const SPOT = '/bg/api/v2/spot/trade'
export const MIX = '/bg/api/v2/mix/order'
export const MEXC = '/mx/api/v1/private'
export const spotBuy = {
  ...{ symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', force: 'gtc', price: '50000' },
}
export const scope = { symbol: 'BTCUSDT', productType: 'USDT-FUTURES', marginCoin: 'USDT' }
export const futuresBuy = { ...spotBuy, ...scope, marginMode: 'crossed' }
export const contract = { symbol: 'BTC_USDT', vol: 1, price: 50_000, side: 1, type: 1, openType: 2 }

/** Two clients that have the key of one account. */
export async function sharedAccount(unified = false, ...how: Parameters<typeof thiefWorld>) {
  const world = await thiefWorld(...how)
  const { thief: one, owner: two } = await world.clients('bot', unified)
  const call = async (from: Keyring, url: string, fields?: unknown, method = 'POST') => {
    const response = await world.send(from, {
      ...{ url, method },
      ...(fields === undefined ? {} : { text: JSON.stringify(fields) }),
    })
    return { status: response.statusCode, ...ownErrorOf(response.json()) }
  }
  const open = (exchange: 'mx' | 'bg') =>
    world.paper.orders(exchange).filter(({ status }) => status === 'open')
  return { ...world, one, two, call, open }
}
export type SharedAccount = Awaited<ReturnType<typeof sharedAccount>>
