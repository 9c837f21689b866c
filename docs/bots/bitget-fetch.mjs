import { SLUICE, sluiceFetch } from './sluice-token.mjs'

async function call(method, path, { body, headers } = {}) {
  const response = await sluiceFetch(`${SLUICE}/bg${path}`, {
    method,
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: body && JSON.stringify(body),
  })
  return response.json()
}

console.log(await call('GET', '/api/v2/spot/market/tickers?symbol=BTCUSDT'))
console.log(await call('GET', '/api/v2/spot/account/assets'))

const order = {
  symbol: 'BTCUSDT',
  side: 'buy',
  orderType: 'limit',
  force: 'gtc',
  price: '50000',
  size: '0.001',
}
// One key per order: a new order gets a new key, a retry sends the same key.
const headers = { 'Idempotency-Key': crypto.randomUUID() }
console.log(await call('POST', '/api/v2/spot/trade/place-order', { body: order, headers }))
