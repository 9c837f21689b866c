import { AUDIT_ACTIONS, type AuditEntry, NO_LIMITS } from 'schema'
import { expect, test } from 'vitest'
import { sentenceOf } from './audit-entries.ts'

const entry = (changes: Partial<AuditEntry>): AuditEntry => ({
  ...{ id: 42, at: '2026-03-05T14:30:22.000Z', actor: 'ana@example.com', actorKind: 'admin' },
  ...{ session: null, address: null, action: 'client.changed', subjectKind: 'client' },
  ...{ subject: 'grid-bot', before: null, after: null, requestId: null },
  ...{ previousHash: '', hash: '' },
  ...changes,
})

const limits = { maxDayValue: '50000', maxOpenOrders: 10, symbols: null, mode: 'enforce' }
const changed = (changes: object): Partial<AuditEntry> => ({
  ...{ action: 'client-limits.changed', before: limits, after: { ...limits, ...changes } },
})

test.each<[string, Partial<AuditEntry>]>([
  [
    'raised Value per day of grid-bot from 50,000 to 80,000.50 USDT',
    changed({ maxDayValue: '80000.50' }),
  ],
  ['lowered Open orders of grid-bot from 10 to 5', changed({ maxOpenOrders: 5 })],
  ['removed Value per day of grid-bot, which was 50,000 USDT', changed({ maxDayValue: null })],
  ['set Symbols of grid-bot to BTCUSDT, ETH*', changed({ symbols: ['BTCUSDT', 'ETH*'] })],
  ['changed Mode of grid-bot from enforce to shadow', changed({ mode: 'shadow' })],
  [
    'changed the limits of grid-bot: Value per day from 50,000 to 1 USDT, Open orders from 10 to no limit',
    changed({ maxDayValue: '1', maxOpenOrders: null }),
  ],
  ['saved the limits of grid-bot as they were', changed({})],
  [
    'changed the limits of grid-bot: Mode from enforce to shadow, Value per day to 50,000 USDT',
    { ...changed({}), before: null, after: { ...NO_LIMITS, mode: 'shadow', maxDayValue: '50000' } },
  ],
  [
    'stopped MEXC (with everything else), cancelling its orders: a fire',
    {
      ...{ action: 'exchange.stopped', subjectKind: 'exchange', subject: 'mx' },
      after: { reason: 'a fire', cancelOrders: true, everything: true },
    },
  ],
  [
    'approved: Change limits, grid-bot, asked for by bob@example.com',
    {
      action: 'approval.approved',
      after: { action: 'changeClientLimits', approval: { id: 1, requestedBy: 'bob@example.com' } },
    },
  ],
  [
    'replaced the keys of grid-bot at Bitget',
    { action: 'exchange-keys.saved', before: { exchange: 'bg' }, after: { exchange: 'bg' } },
  ],
  ['brewed.tea: grid-bot', { action: 'brewed.tea' }],
])('%s', (what, changes) => {
  expect(sentenceOf(entry(changes))).toEqual({ who: 'ana@example.com', what })
})

test('each kind of entry that the gateway writes has a sentence, whatever its facts lack', () => {
  const sentences = AUDIT_ACTIONS.map((action) => sentenceOf(entry({ action })).what)
  expect(sentences.filter((what) => !/^[a-z].*[\w)]$/.test(what))).toEqual([])
  expect(
    sentences.filter((what) => /undefined|null|NaN|\[object|^[a-z-]+\.[a-z-]+:/.test(what)),
  ).toEqual([])
})

test.each<[string, Partial<AuditEntry>]>([
  ['root at the command line', { actor: 'root', actorKind: 'command-line' }],
  ['The gateway', { actor: 'gateway', actorKind: 'gateway' }],
  ['Several names', { actor: 'several', actorKind: 'anonymous' }],
  ['“mallory”, not signed in,', { actor: 'mallory', actorKind: 'anonymous' }],
])('who did it: %s', (who, changes) => {
  expect(sentenceOf(entry(changes)).who).toBe(who)
})
