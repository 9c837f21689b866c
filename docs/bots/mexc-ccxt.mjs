import ccxt from 'ccxt'
import { viaSluice } from './sluice-ccxt.mjs'

const exchange = viaSluice(ccxt.mexc, 'mx')

console.log(await exchange.fetchTicker('BTC/USDT'))
console.log(await exchange.fetchBalance())
// One key per order: a new order gets a new key, a retry sends the same key.
const idempotencyKey = crypto.randomUUID()
console.log(
  await exchange.createOrder('BTC/USDT', 'limit', 'buy', 0.001, 50000, { idempotencyKey }),
)
