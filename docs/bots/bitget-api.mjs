import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import { RestClientV2 } from 'bitget-api'
import { bearer, SLUICE } from './sluice-token.mjs'

const ours = new AsyncLocalStorage()

const client = new RestClientV2(
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
)

/** The client, with the token and a key in each call. To retry an order, pass the same key both times. */
function viaSluice(key) {
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

const bitget = viaSluice()
console.log(await bitget.getSpotTicker({ symbol: 'BTCUSDT' }))
console.log(await bitget.getSpotAccountAssets())

const order = {
  symbol: 'BTCUSDT',
  side: 'buy',
  orderType: 'limit',
  force: 'gtc',
  price: '50000',
  size: '0.001',
}
console.log(await viaSluice(randomUUID()).spotSubmitOrder(order))
