import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import { RestClientV2, RestClientV3 } from 'bitget-api'
import { bearer, SLUICE } from './sluice-token.mjs'

const ours = new AsyncLocalStorage()

const settings = [
  // Placeholders: Sluice removes their signature and signs with the stored keys.
  { apiKey: 'via-sluice', apiSecret: 'via-sluice', apiPass: 'via-sluice', baseUrl: `${SLUICE}/bg` },
  {
    // An order may wait in the queue for up to 180 s.
    timeout: 200_000,
    transformRequest: (body, headers) => {
      for (const [name, value] of Object.entries(ours.getStore())) headers.set(name, value)
      return body && JSON.stringify(body)
    },
  },
]
const classic = new RestClientV2(...settings)
const unified = new RestClientV3(...settings)

/** A client with the token and a key in each call. To retry an order, pass the same key both times. */
function viaSluice(client, key) {
  async function call(name, args) {
    const headers = { 'Idempotency-Key': key ?? randomUUID(), Authorization: await bearer() }
    const send = (changed) => ours.run({ ...headers, ...changed }, () => client[name](...args))
    return send().catch(async (error) => {
      if (error.code !== 401) throw error
      // The token was revoked: try once more with a new token and the same key.
      return send({ Authorization: await bearer(headers.Authorization) })
    })
  }
  const get = (_, name) =>
    typeof client[name] === 'function' ? (...args) => call(name, args) : client[name]
  return new Proxy(client, { get })
}

/** Whether the account is a unified one. A classic one rejects calls of v3 with the code 40084. */
async function isUnified() {
  try {
    await viaSluice(unified).getAccountSettings()
    return true
  } catch (error) {
    if (error.body?.code === '40084') return false
    throw error
  }
}

const order = { symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', price: '50000' }

if (await isUnified()) {
  const bitget = viaSluice(unified)
  console.log(await bitget.getTickers({ category: 'SPOT', symbol: 'BTCUSDT' }))
  console.log(await bitget.getBalances())
  const full = { ...order, category: 'SPOT', timeInForce: 'gtc', qty: '0.001' }
  console.log(await viaSluice(unified, randomUUID()).submitNewOrder(full))
} else {
  const bitget = viaSluice(classic)
  console.log(await bitget.getSpotTicker({ symbol: 'BTCUSDT' }))
  console.log(await bitget.getSpotAccountAssets())
  const full = { ...order, force: 'gtc', size: '0.001' }
  console.log(await viaSluice(classic, randomUUID()).spotSubmitOrder(full))
}
