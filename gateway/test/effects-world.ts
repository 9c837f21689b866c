import { expect } from 'vitest'
import type { UpstreamCall } from '../src/exchanges/exchange.ts'
import { adapters } from '../src/exchanges/registry.ts'
import { callOf } from '../src/exchanges/test-effects.ts'
import { bitgetKeys, mexcKeys, paperExchange } from './paper-exchange/paper.ts'

/** The size of the position that an account starts with. */
export const HELD = '0.01'
const balances = { USDT: '10000000', BTC: '1000' }
const unifiedKeys = { apiKey: 'bg_unified', apiSecret: 'unified-secret', passphrase: 'unifiedPass' }

export type Mode = 'one-way' | 'hedge'
export type Held = 'long' | 'short' | 'nothing'
export type Where = 'mexc' | 'classic' | 'unified'

/** A paper exchange whose clock moves on with every call, so that no rate limit is met. */
export async function effectsWorld() {
  let nowMs = Date.UTC(2026, 10, 1)
  const futuresBalances = { USDT: '10000000' }
  const paper = await paperExchange({
    accounts: [
      { exchange: 'mx', name: 'mexc', ...mexcKeys, balances, futuresBalances },
      { exchange: 'bg', name: 'classic', ...bitgetKeys, balances, futuresBalances },
      { exchange: 'bg', name: 'unified', unified: true, ...unifiedKeys, balances },
    ],
    nowMs: () => nowMs,
    monotonicMs: () => nowMs,
  })
  async function send(call: UpstreamCall): Promise<string> {
    nowMs += 3_000
    const isUnified = call.family === 'bitget' && call.path.startsWith('/api/v3/')
    const keys = call.family !== 'bitget' ? mexcKeys : isUnified ? unifiedKeys : bitgetKeys
    const { method, url, headers, body } = adapters.of(call.family).sign(call, keys, nowMs)
    const response = await fetch(`${paper.url}${url}`, { method, headers, body })
    return response.text()
  }
  async function must(line: string, body: object): Promise<void> {
    const text = await send(json(line, JSON.stringify(body)))
    expect(text).toMatch(/"code":(?:"00000"|0)[,}]/)
  }
  return {
    paper,
    send,
    /** Everything anew, in a position mode and with a position. */
    async start(where: Where, mode: Mode, held: Held) {
      paper.reset()
      await setMode(must, where, mode)
      if (held !== 'nothing') await openPosition(must, where, mode, held)
    },
    position(name: Where) {
      const account = paper.accounts.list().find((each) => each.name === name)
      return (account?.positions ?? []).map(({ side, size }) => ({ side, size }))
    },
  }
}

type Must = (line: string, body: object) => Promise<void>
export const CREATE = 'POST /api/v1/private/order/create'
export const MIX = 'POST /api/v2/mix/order/place-order'
export const UNIFIED = 'POST /api/v3/trade/place-order'

async function setMode(must: Must, where: Where, mode: Mode): Promise<void> {
  const posMode = mode === 'hedge' ? 'hedge_mode' : 'one_way_mode'
  if (where === 'mexc')
    await must('POST /api/v1/private/position/change_position_mode', {
      positionMode: mode === 'hedge' ? 1 : 2,
    })
  if (where === 'classic')
    await must('POST /api/v2/mix/account/set-position-mode', {
      productType: 'USDT-FUTURES',
      posMode,
    })
  if (where === 'unified') await must('POST /api/v3/account/set-hold-mode', { holdMode: posMode })
}

async function openPosition(
  must: Must,
  where: Where,
  mode: Mode,
  held: 'long' | 'short',
): Promise<void> {
  const side = held === 'long' ? 'buy' : 'sell'
  const isHedge = mode === 'hedge'
  if (where === 'mexc')
    await must(CREATE, {
      ...{ symbol: 'BTC_USDT', side: held === 'long' ? 1 : 3, type: 5, vol: 100 },
      ...{ openType: 2, leverage: 10 },
    })
  if (where === 'classic')
    await must(MIX, {
      ...{ symbol: 'BTCUSDT', productType: 'USDT-FUTURES', marginCoin: 'USDT' },
      ...{ marginMode: 'crossed', side, orderType: 'market', size: HELD },
      ...(isHedge ? { tradeSide: 'open' } : {}),
    })
  if (where === 'unified')
    await must(UNIFIED, {
      ...{ category: 'USDT-FUTURES', symbol: 'BTCUSDT', side, orderType: 'market', qty: HELD },
      ...(isHedge ? { posSide: held } : {}),
    })
}

/** The call of a line with exactly this body. */
export function json(line: string, body: string): UpstreamCall {
  return { ...callOf(line, {}), body }
}
