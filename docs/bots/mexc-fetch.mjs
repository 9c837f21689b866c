import { SLUICE, sluiceFetch } from './sluice-token.mjs'

async function call(method, path, headers) {
  const response = await sluiceFetch(`${SLUICE}/mx${path}`, { method, headers })
  return response.json()
}

console.log(await call('GET', '/api/v3/ticker/price?symbol=BTCUSDT'))
console.log(await call('GET', '/api/v3/account'))

const order = 'symbol=BTCUSDT&side=BUY&type=LIMIT&quantity=0.001&price=50000'
// One key per order: a new order gets a new key, a retry sends the same key.
const key = crypto.randomUUID()
console.log(await call('POST', `/api/v3/order?${order}`, { 'Idempotency-Key': key }))
