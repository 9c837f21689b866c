import { createClient, getToken, login, saveApiKey } from 'schema'
import { callGateway, type Reached } from './call-gateway.ts'
import type { Person } from './sign-in.ts'

const CLIENT = 'verify-images'

/** An order that rests on the paper exchange. */
export const ORDER = {
  symbol: 'BTC_USDT',
  side: 'BUY',
  type: 'LIMIT',
  quantity: '0.01',
  price: '50000',
} as const

/** Makes a client with keys for MEXC; returns the client's token. */
export async function createClientWithKeys(
  gateway: Reached,
  admin: Person,
  keys: { readonly apiKey: string; readonly apiSecret: string },
): Promise<string> {
  const { token: asAdmin } = await callGateway(gateway, login, { body: admin })
  const { clientSecret } = await callGateway(gateway, createClient, {
    token: asAdmin,
    body: { clientId: CLIENT },
  })
  await callGateway(gateway, saveApiKey, {
    token: asAdmin,
    body: { clientId: CLIENT, exchange: 'mx', ...keys },
  })
  const { token } = await callGateway(gateway, getToken, {
    body: { clientId: CLIENT, clientSecret },
  })
  return token
}
