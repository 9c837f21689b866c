import type { ExchangeCode, Family } from '../../src/exchanges/exchange.ts'

// The two enumerations that a real exchange is added to, `EXCHANGES` of schema and `Family`, do not
// have the toy's names.
export const TOY_CODE = 'ty' as string as ExchangeCode
export const TOY = 'toy' as string as Family
