import type { PositionProtocol, PositionRead } from '../adapter.ts'
import type { PositionMode, PositionPlace } from '../position-part.ts'
import { isRecord, recordsOf, textOf } from '../protocol/untrusted.ts'
import { readCall } from './call.ts'

/**
 * The mode is that of a product type (docs/exchanges/bitget.md, 4), on a unified account of the
 * whole account (docs/exchanges/bitget-unified.md, 6).
 */
export const positions: PositionProtocol = {
  modeReads: (place, kind) =>
    (kind === 'unified' ? unifiedReads(place) : classicReads(place)).map(({ call, read }) => ({
      call: place.demo === true ? { ...call, demo: true } : call,
      read,
    })),
  modeChanges: new Set([
    'POST /api/v2/mix/account/set-position-mode',
    'POST /api/v3/account/set-hold-mode',
  ]),
}

function classicReads({ symbol, productType }: PositionPlace): PositionRead<PositionMode>[] {
  if (productType === undefined) return []
  const marginCoin = marginCoinOf(symbol, productType)
  return [
    {
      call: readCall('/api/v2/mix/account/account', { symbol, productType, marginCoin }),
      read: (data) => (isRecord(data) ? modeIn(data.posMode) : undefined),
    },
  ]
}

/** A key that may only trade is not given the settings; its positions have the mode too. */
function unifiedReads({ symbol, productType }: PositionPlace): PositionRead<PositionMode>[] {
  return [
    {
      call: readCall('/api/v3/account/settings', {}),
      read: (data) => (isRecord(data) ? modeIn(data.holdMode) : undefined),
    },
    {
      call: readCall('/api/v3/position/current-position', { category: productType, symbol }),
      read: (data) => {
        const [first] = recordsOf(isRecord(data) ? data.list : undefined)
        return modeIn(first?.holdMode)
      },
    },
  ]
}

/** The coin of `COIN-FUTURES` is that of the symbol: BTC of BTCUSD. */
function marginCoinOf(symbol: string, productType: string): string {
  const [coin = ''] = productType.split('-')
  return coin.endsWith('COIN') ? symbol.replace(/USD.*$/, '') : coin
}

function modeIn(word: unknown): PositionMode | undefined {
  const mode = textOf(word)
  return mode === 'hedge_mode' ? 'hedge' : mode === 'one_way_mode' ? 'oneWay' : undefined
}
