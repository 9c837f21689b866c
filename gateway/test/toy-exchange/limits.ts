import { type ExchangeLimits, readWeights } from '../../src/exchanges/limits.ts'

export const limits: ExchangeLimits = {
  table: [
    {
      title: 'orders',
      scope: 'uid',
      counts: 'together',
      calls: readWeights([[3, 'POST', '/toy/orders']]),
      max: 30,
      windowMs: 2_000,
      ...{ mark: '[1]', source: 'the toy itself', asOf: '2026-01' },
    },
  ],
  orderCalls: ['POST /toy/orders'],
  remainingHeader: 'toy-calls-left',
}
