import { expect, test } from 'vitest'
import { bitgetPolicy } from './bitget.ts'
import { mexcPolicy } from './mexc.ts'
import { closedReason, namesIn } from './rules.ts'

const POLICIES = { mx: mexcPolicy, bg: bitgetPolicy }

test('no call is open and closed, except market data below the margin prefix', () => {
  const both = Object.values(POLICIES).flatMap((policy) =>
    policy.lines.flatMap(([, method, below, names]) =>
      namesIn(names)
        .map((name) => `${below}${name}`)
        .filter((path) => closedReason(policy, method, path) !== undefined)
        .map((path) => `${method} ${path}`),
    ),
  )
  expect(both).toEqual([
    'GET /api/v2/margin/currencies',
    'GET /api/v2/margin/market/long-short-ratio',
  ])
})

test.each([
  ['bg', 'POST', '/api/v3/trade/place-reality-order', 'stock tokens'],
  ['bg', 'POST', '/api/v3/account/transfer', 'it moves'],
  ['bg', 'GET', '/api/spot/v1/account/assets', 'an older API'],
  ['mx', 'GET', '/api/v3/apiKeyInfo', 'API keys'],
  ['mx', 'DELETE', '/api/v3/capital/withdraw', 'it moves'],
] as const)('the reason why %s %s %s is closed is known', (exchange, method, path, reason) => {
  expect(closedReason(POLICIES[exchange], method, path)).toContain(reason)
})

test.each([
  ['bg', 'POST', '/api/v3/trade/unheard-of'],
  ['bg', 'GET', '/api/v3/account/transfer'],
  ['bg', 'POST', '/api/v2/spot/wallet'],
  ['mx', 'POST', '/api/v3/capital/config/getall'],
  ['mx', 'POST', '/api/v3/order'],
] as const)('nobody decided to close %s %s %s', (exchange, method, path) => {
  expect(closedReason(POLICIES[exchange], method, path)).toBeUndefined()
})
