import { isRecord, positiveOf } from '../../src/exchanges/protocol/untrusted.ts'
import type { RulesProtocol } from '../../src/exchanges/symbol-rules.ts'
import { TOY } from './names.ts'

export const rules: RulesProtocol = {
  call: (symbol) => ({
    family: TOY,
    method: 'GET',
    path: '/toy/pairs',
    query: `pair=${symbol}`,
    body: null,
    signed: false,
  }),
  read: (symbol, data) =>
    isRecord(data)
      ? {
          symbol,
          market: 'spot',
          baseCoin: 'TOY',
          quoteCoin: 'USDT',
          tradable: true,
          minSize: positiveOf(data.step) ?? '1',
          sizeStep: positiveOf(data.step) ?? '1',
          priceTick: '0.01',
        }
      : undefined,
}
