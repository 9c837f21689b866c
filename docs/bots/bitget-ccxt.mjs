import ccxt from 'ccxt'
import { viaSluice } from './sluice-ccxt.mjs'

const exchange = viaSluice(ccxt.bitget, 'bg')

console.log(await exchange.fetchTicker('BTC/USDT'))
console.log(await exchange.fetchBalance())
console.log(await exchange.createOrder('BTC/USDT', 'limit', 'buy', 0.001, 50000))
