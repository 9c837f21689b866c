import { SLUICE, sluiceFetch } from './sluice-token.mjs'

async function call(method, path, headers) {
  const answer = await sluiceFetch(`${SLUICE}/mx${path}`, { method, headers })
  return answer.json()
}

console.log(await call('GET', '/api/v3/ticker/price?symbol=BTCUSDT'))
console.log(await call('GET', '/api/v3/account'))

const order = 'symbol=BTCUSDT&side=BUY&type=LIMIT&quantity=0.001&price=50000'
// A new key for each order, the same one for each retry of it.
const key = crypto.randomUUID()
console.log(await call('POST', `/api/v3/order?${order}`, { 'Idempotency-Key': key }))
