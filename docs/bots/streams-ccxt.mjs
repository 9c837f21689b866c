import ccxt from 'ccxt'
import { viaSluice } from './sluice-ccxt.mjs'

// ccxt.pro.mexc with 'mx' works alike. For a unified account of Bitget: exchange.options.uta = true
const exchange = viaSluice(ccxt.pro.bitget, 'bg')

for (;;) {
  try {
    for (const order of await exchange.watchOrders('BTC/USDT')) {
      console.log(order.id, order.status, order.filled)
    }
  } catch (error) {
    if (!(error instanceof ccxt.NetworkError)) throw error
    // The connection has ended, and something may have been missed: read what is open, and watch on.
    console.log(`${(await exchange.fetchOpenOrders('BTC/USDT')).length} open`)
  }
}
