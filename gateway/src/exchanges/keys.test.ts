import { expect, test } from 'vitest'
import type { ExchangeCode, UpstreamCall } from './exchange.ts'
import { checkKey, expiryOf, keysOf } from './keys.ts'
import { rejectionError } from './protocol/rejection.ts'

const DAY_MS = 86_400_000
const NOW = Date.UTC(2026, 10, 22)
const refused = () =>
  rejectionError('MEXC', { class: 'permission', exchangeCode: '700007', exchangeMessage: '' })

test('when MEXC says nothing about a key, the account shows that the key works', async () => {
  const asked: string[] = []
  const ask = async ({ path }: UpstreamCall) => {
    asked.push(path)
    if (path === '/api/v3/apiKeyInfo') throw refused()
    return { canTrade: true, permissions: ['SPOT'] }
  }
  const check = await checkKey(keysOf('mx'), null, ask)
  expect(asked).toEqual(['/api/v3/apiKeyInfo', '/api/v3/account'])
  expect(check).toMatchObject({ permissions: ['SPOT'], ipBinding: null })
  expect(check).not.toHaveProperty('daysLeft')
  expect(check.warnings[0]).toContain('did not report what it may do')
})

test('a key that MEXC rejects for both questions fails, and trouble of the network asks once', async () => {
  await expect(checkKey(keysOf('mx'), null, () => Promise.reject(refused()))).rejects.toThrow(
    '700007',
  )
  let asked = 0
  const broken = async () => {
    asked += 1
    throw new Error('no connection')
  }
  await expect(checkKey(keysOf('mx'), null, broken)).rejects.toThrow('no connection')
  expect(asked).toBe(1)
})

test.each<[exchange: ExchangeCode, info: object, canWithdraw: boolean | null]>([
  ['mx', { permissions: 'SPOT_DEAL_WRITE,SPOT_WITHDRAW_WRITE' }, true],
  ['mx', { permissions: 'SPOT_DEAL_WRITE,SPOT_WITHDRAW_READ,CONTRACT_DEAL_WRITE' }, false],
  ['mx', { permissions: 'SPOT_DEAL_WRITE,SPOT_PAYOUT_WRITE' }, null],
  ['mx', {}, null],
  ['bg', { authorities: ['readonly', 'trade', 'withdraw'] }, true],
  ['bg', { authorities: ['coow', 'wwow'] }, true],
  ['bg', { authorities: ['readonly', 'trade', 'transfer'] }, false],
  // Abbreviations whose meaning nobody here knows.
  ['bg', { authorities: ['coow', 'wxow'] }, null],
  ['bg', { permissions: ['uta_trade', 'uta_mgt', 'withdraw'] }, true],
  ['bg', { permissions: ['uta_trade', 'uta_mgt'] }, false],
  ['bg', {}, null],
])('whether a key may withdraw is known from %s: %j', (exchange, info, canWithdraw) => {
  const check = keysOf(exchange).read({ ...info })
  expect(check.canWithdraw).toBe(canWithdraw)
  const warning = { true: 'This key may withdraw', null: 'not known whether this key may withdraw' }
  const warnings = check.warnings.filter((text) => text.includes('withdraw'))
  expect(warnings).toEqual(
    canWithdraw === false ? [] : [expect.stringContaining(warning[`${canWithdraw}`])],
  )
})

test.each<
  [what: string, daysLeft: number | null, knownMs: number | null, expiresAtMs: number | null]
>([
  ['a first reading', 82, null, NOW + 82 * DAY_MS],
  ['a reading that is less than a day off', 82, NOW + 82.9 * DAY_MS, NOW + 82.9 * DAY_MS],
  ['a key that lasts longer than it did', 90, NOW + 3 * DAY_MS, NOW + 90 * DAY_MS],
  ['a key that was bound to an address', null, NOW + 3 * DAY_MS, null],
])('the expiry after %s', (_what, daysLeft, knownMs, expiresAtMs) => {
  expect(expiryOf(daysLeft, NOW, knownMs)).toBe(expiresAtMs)
})

// Found by the fuzzer: the key test failed with an internal error.
test.each([[{ toString: 1 }], [null], [['read']], [true]])(
  'with a permission that is no text it is not known whether a key may withdraw: %j',
  (odd) => {
    const { permissions, canWithdraw } = keysOf('bg').read({ authorities: ['read', odd] })
    expect(canWithdraw).toBe(null)
    expect(permissions).toEqual(['read', 'unreadable'])
  },
)
