import { type ClientLimits, NO_LIMITS } from 'schema'
import { expect, test } from 'vitest'
import { loosens } from './limits.ts'

const BEFORE: ClientLimits = {
  ...{ state: 'reducing', mode: 'enforce', symbols: ['BTCUSDT', 'ETH*'], markets: ['spot'] },
  ...{ maxOrderValue: '500', maxDayValue: '2000.5', maxOpenOrders: 10, maxOrdersPerMinute: 30 },
  ...{ maxLeverage: 5, priceCollarPercent: '5', manageForeign: false },
  ...{ expiresAt: '2027-01-01T00:00:00Z', allowedIps: ['203.0.113.0/24', '2001:db8::/32'] },
  ...{ secretAsBearer: false, repeatGuard: 'on', exits: 'own' },
}

/** Those that always have a value. */
const NEVER_NONE = ['state', 'mode', 'repeatGuard', 'exits']

const LOOSER: Partial<ClientLimits>[] = [
  { state: 'active' },
  { mode: 'shadow' },
  { symbols: ['BTC*'] },
  { symbols: ['*'] },
  { symbols: ['ETH*', 'SOLUSDT'] },
  { markets: ['spot', 'futures'] },
  { maxOrderValue: '500.000001' },
  { maxOrderValue: '1000' },
  { maxDayValue: '2000.51' },
  { maxOpenOrders: 11 },
  { manageForeign: true },
  { maxOrdersPerMinute: 31 },
  { maxLeverage: 6 },
  { priceCollarPercent: '10' },
  { expiresAt: '2027-01-01T00:00:01Z' },
  { allowedIps: ['203.0.112.0/23'] },
  { allowedIps: ['0.0.0.0/0'] },
  { allowedIps: ['::/0'] },
  { maxOrderValue: '1', maxLeverage: 6 },
  { secretAsBearer: true },
  { repeatGuard: 'off' },
  { exits: 'any' },
]

test.each(LOOSER)('%j allows more', (changes) => {
  expect(loosens(BEFORE, { ...BEFORE, ...changes })).toBe(true)
})

test.each(Object.keys(BEFORE).filter((name) => !NEVER_NONE.includes(name)))(
  'without %s more is allowed, and with it less',
  (name) => {
    expect(loosens(BEFORE, { ...BEFORE, [name]: null })).toBe(true)
    expect(loosens({ ...BEFORE, [name]: null }, BEFORE)).toBe(false)
  },
)

const TIGHTER: Partial<ClientLimits>[] = [
  {},
  { state: 'halted' },
  { symbols: ['ETHUSDT', 'ETHBTC', 'ETHB*'] },
  { symbols: ['ETH*'] },
  { maxOrderValue: '90' },
  { maxDayValue: '2000.5' },
  { maxOpenOrders: 1, maxLeverage: 1, priceCollarPercent: '0.1' },
  { expiresAt: '2026-12-31T00:00:00Z' },
  { allowedIps: ['203.0.113.128/25', '203.0.113.7', '2001:db8:1::/48'] },
  { allowedIps: ['2001:db8::1'] },
  { exits: 'limited' },
]

test.each(TIGHTER)('%j allows no more', (changes) => {
  expect(loosens(BEFORE, { ...BEFORE, ...changes })).toBe(false)
})

test('what enforces nothing yet may enforce anything', () => {
  expect(loosens({ ...NO_LIMITS, mode: 'shadow' }, { ...BEFORE, state: 'active' })).toBe(false)
  const off: ClientLimits = { ...BEFORE, repeatGuard: 'off' }
  expect(loosens(off, BEFORE) || loosens(off, off)).toBe(false)
})

test('what closes nothing freely may close its own, and only then anything', () => {
  const limited: ClientLimits = { ...BEFORE, exits: 'limited' }
  const any: ClientLimits = { ...BEFORE, exits: 'any' }
  expect(loosens(limited, BEFORE) && loosens(limited, any)).toBe(true)
  expect(loosens(any, BEFORE) || loosens(any, any) || loosens(limited, limited)).toBe(false)
})
