import * as futures from '../../exchanges/mexc-futures/calls.ts'
import * as spot from '../../exchanges/mexc-spot/calls.ts'
import type { Market } from '../../exchanges/symbol-rules.ts'

/** MEXC writes futures symbols with an underscore (`BTC_USDT`) and spot symbols without. */
export function marketOf(symbol: string): Market {
  return symbol.includes('_') ? 'futures' : 'spot'
}

/** The calls for the market of a symbol, where spot and futures have the same calls. */
export function callsFor({ symbol }: { readonly symbol: string }) {
  return marketOf(symbol) === 'futures' ? futures : spot
}
