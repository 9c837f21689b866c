// `node sluice-door.mjs` runs beside it, as a process of its own.
import { Spot } from 'mexc-api-sdk'

// Placeholders: Sluice removes their signature and signs with the stored keys.
const mexc = new Spot('via-sluice', 'via-sluice')
mexc.config.baseURL = `${process.env.SLUICE_DOOR ?? 'http://127.0.0.1:8090'}/mx/api/v3`

console.log(mexc.tickerPrice('BTCUSDT'))
console.log(mexc.accountInfo())
// The door makes an idempotency key of this id: use a new one for each order, the same for a retry.
const newClientOrderId = crypto.randomUUID().replaceAll('-', '')
const order = { quantity: '0.001', price: '50000', newClientOrderId }
console.log(mexc.newOrder('BTCUSDT', 'BUY', 'LIMIT', order))
