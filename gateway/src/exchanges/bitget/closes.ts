/**
 * Calls that close or reverse a position (docs/exchanges/bitget.md, 4 and 11). A reversal without a
 * size reverses the whole position.
 */
export const closes: ReadonlyMap<string, string | undefined> = new Map([
  ['POST /api/v2/mix/order/close-positions', undefined],
  ['POST /api/v2/mix/order/click-backhand', 'size'],
  ['POST /api/v3/trade/close-positions', undefined],
])
