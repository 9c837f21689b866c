import { expect, test } from 'vitest'
import type { KeyCheck } from '../adapter.ts'
import { signMexcSpot } from './index.ts'
import { keys } from './keys.ts'

/** The response of the documented call (docs/exchanges/mexc.md, 1). */
const info = {
  ...{ note: 'grid', accessKey: 'mx0-key', createTime: '2026-09-14T18:53:36.000+00:00' },
  permissions: 'SPOT_ACCOUNT_READ, SPOT_DEAL_WRITE,CONTRACT_DEAL_READ',
  ...{ remainingValidity: 82, ipWhiteList: '', status: 'VALID' },
}
const bound = { ...info, ipWhiteList: '203.0.113.7,203.0.113.8', remainingValidity: 0 }

test('what MEXC says about a key is read as permissions, addresses and days left', () => {
  expect(keys.read(info)).toEqual<KeyCheck>({
    permissions: ['SPOT_ACCOUNT_READ', 'SPOT_DEAL_WRITE', 'CONTRACT_DEAL_READ'],
    canWithdraw: false,
    ipBinding: [],
    daysLeft: 82,
    warnings: [
      'The key is not bound to an IP address: anyone who obtains it can use it from anywhere, and MEXC lets it expire after 90 days; 82 days are left.',
    ],
  })
})

test('a key that is bound to addresses and may only trade needs no warning, and does not expire', () => {
  expect(keys.read(bound)).toMatchObject({
    ipBinding: ['203.0.113.7', '203.0.113.8'],
    daysLeft: null,
    warnings: [],
  })
})

test.each([
  ['may withdraw', { permissions: 'SPOT_DEAL_WRITE,SPOT_WITHDRAW_WRITE' }],
  ['may transfer', { permissions: 'CONTRACT_DEAL_WRITE,SPOT_TRANSFER_WRITE' }],
  ['may not trade', { permissions: 'SPOT_DEAL_READ,SPOT_ACCOUNT_WRITE' }],
  ['state "FROZEN"', { status: 'FROZEN' }],
  ['1 day is left', { remainingValidity: 1 }],
  ['14 days are left', { remainingValidity: '14' }],
])('a key has the warning "%s"', (words, change) => {
  expect(keys.read({ ...bound, ...change }).warnings).toEqual([expect.stringContaining(words)])
})

test('reading about withdrawals and transfers is no reason for a warning', () => {
  const permissions = 'SPOT_DEAL_WRITE,SPOT_WITHDRAW_READ,SPOT_TRANSFER_READ'
  expect(keys.read({ ...bound, permissions }).warnings).toEqual([])
})

// What MEXC tells of a bound key is not established: a number above zero is believed.
test.each<[what: string, change: object, daysLeft: number | null | undefined]>([
  ['a bound key with days left', { ...bound, remainingValidity: 5 }, 5],
  ['a bound key with a number below zero', { ...bound, remainingValidity: -1 }, null],
  ['a bound key without days', { ...bound, remainingValidity: null }, null],
  ['an unbound key of its last day', { remainingValidity: 0 }, 0],
  ['an unbound key without days', { remainingValidity: undefined }, undefined],
  ['an unbound key with a word for the days', { remainingValidity: 'forever' }, undefined],
  ['a fraction', { remainingValidity: 81.9 }, 81],
  ['an absurd number', { remainingValidity: 1e30 }, undefined],
  ['no list of addresses', { ipWhiteList: undefined }, 82],
  ['no list of addresses and no days', { ipWhiteList: null, remainingValidity: 0 }, undefined],
  ['addresses as a list', { ipWhiteList: ['203.0.113.7'], remainingValidity: 0 }, null],
])('the days left of %s are read', (_what, change, daysLeft) => {
  expect(keys.read({ ...info, ...change }).daysLeft).toBe(daysLeft)
})

test('a response without any known field is a working key about which nothing is known', () => {
  expect(keys.read({})).toEqual({
    permissions: [],
    canWithdraw: null,
    ipBinding: null,
    warnings: [
      expect.stringContaining('not known whether this key may withdraw'),
      expect.stringContaining('does not report whether the key is bound'),
    ],
  })
})

test('the call names the key only once it is signed', () => {
  const call = keys.check(null)
  expect(JSON.stringify(call)).not.toContain('mx0-key')
  const { url } = signMexcSpot(call, { apiKey: 'mx0-key', apiSecret: 'secret' }, 1_700_000_000_000)
  expect(url).toMatch(
    /^\/api\/v3\/apiKeyInfo\?accessKey=mx0-key&timestamp=1700000000000&signature=[0-9a-f]{64}$/,
  )
})
