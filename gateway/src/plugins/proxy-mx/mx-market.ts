import * as futures from '../../exchanges/mexc-futures/calls.ts'
import * as spot from '../../exchanges/mexc-spot/calls.ts'
import type { Market } from '../../exchanges/symbol-rules.ts'

/** MEXC writes futures with an underscore (`BTC_USDT`) and spot pairs without. */
export function marketOf(symbol: string): Market {
  return symbol.includes('_') ? 'futures' : 'spot'
}

/** The calls of the market that a symbol names, for what both markets are asked alike. */
export function callsFor({ symbol }: { readonly symbol: string }) {
  return marketOf(symbol) === 'futures' ? futures : spot
}
