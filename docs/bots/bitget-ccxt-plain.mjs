import ccxt from 'ccxt'

const { SLUICE_CLIENT_ID, SLUICE_CLIENT_SECRET } = process.env
// For ccxt.mexc it ends with /mx.
const SLUICE = `${process.env.SLUICE_URL ?? 'https://sluice.example'}/bg`

const exchange = new ccxt.bitget({
  // Placeholders: Sluice removes their signature and signs with the stored keys.
  apiKey: 'via-sluice',
  secret: 'via-sluice',
  password: 'via-sluice',
  headers: { Authorization: `Bearer ${SLUICE_CLIENT_ID}:${SLUICE_CLIENT_SECRET}` },
  // Sluice limits the rate; an order may wait in the queue for up to 180 s.
  enableRateLimit: false,
  timeout: 200_000,
})
// Every address: the secret must not go anywhere else.
const addresses = JSON.stringify(exchange.urls.api)
exchange.urls.api = JSON.parse(addresses.replaceAll(/https:\/\/[^/"]+/g, SLUICE))

console.log(await exchange.fetchTicker('BTC/USDT'))
console.log(await exchange.fetchBalance())
console.log(await exchange.createOrder('BTC/USDT', 'limit', 'buy', 0.001, 50000))
