import { SLUICE, sluiceFetch } from './sluice-token.mjs'

// These routes are the same for classic and unified accounts; Bitget's own, below /bg, differ.
const ROUTES = `${SLUICE}/api/bg/v1`

async function call(method, path, { body, headers } = {}) {
  const response = await sluiceFetch(`${ROUTES}${path}`, {
    method,
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: body && JSON.stringify(body),
  })
  return response.json()
}

console.log(await call('GET', '/spot/market/tickers?symbol=BTCUSDT'))
console.log(await call('GET', '/getAccountInfo'))

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
console.log(await call('POST', '/spot/trade/place-order', { body: order, headers }))
