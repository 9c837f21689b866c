import { deleteApiKey, listAudit, saveApiKey, testApiKey } from 'schema'
import { expect, test } from 'vitest'
import { createAccount } from './app.ts'
import { ownErrorOf } from './support/call.ts'
import { eventually } from './support/eventually.ts'
import { AT_ONCE, NOTHING, traderOf, type WayName } from './support/exits.ts'
import { keysOf, secondKeys } from './support/share-keys.ts'
import { sharedApp } from './support/shared-app.ts'

// A position outlives the keys that it was opened with. What a client opened stays its own when the
// new keys are certainly of the same account, and never otherwise.

const PATIENT_MS = 60_000
const shared = sharedApp({
  paper: { monotonicMs: () => performance.now() * 1_000 },
  app: { newKeyWaitMs: PATIENT_MS },
})

/** A bot with an open position, whose limits allow nothing but its exits. */
async function holder(name: WayName) {
  const bot = await traderOf(shared(), name)
  await bot.place('open', '0.02', AT_ONCE)
  await bot.limit(NOTHING)
  const { exchange } = bot.way
  return {
    ...bot,
    exit: () => bot.way.order({ does: 'close', size: '0.01' }),
    /** Stores other keys, and what the audit trail says of them. */
    async replace(keys: object) {
      const body = { clientId: bot.clientId, exchange, ...keys }
      expect((await shared().call(saveApiKey, { body: body as never })).status).toBe(201)
      const { entries } = (
        await shared().call(listAudit, { query: { action: 'exchange-keys.saved' } })
      ).body
      return entries.find(({ subject }) => subject === bot.clientId)?.after
    },
    second: () => secondKeys(bot, exchange),
    /** The keys of another account. */
    other: () =>
      createAccount(shared().paper, exchange, `other-than-${bot.clientId}`, bot.way.isUnified),
  }
}

test.each<WayName>([
  'Bitget spot',
  'Bitget futures, one-way',
  'Bitget spot, unified',
  'Bitget futures, unified, hedge',
])(
  '%s: a client closes what it opened before its key was replaced by another one',
  async (name) => {
    const bot = await holder(name)
    expect(await bot.replace(bot.second())).toMatchObject({ keepsOwnPositions: true })
    await bot.done(bot.exit())
    // And once more: what the first of the keys opened belongs to the third ones too.
    expect(await bot.replace(bot.second())).toMatchObject({ keepsOwnPositions: true })
    await bot.done(bot.exit())
    await bot.expectRefused(bot.exit())
  },
)

test.each<WayName>([
  'Bitget futures, one-way',
  'Bitget spot, unified',
  'MEXC futures, hedge',
  'MEXC spot',
])('%s: the keys of another account do not inherit, nor does the way back', async (name) => {
  const bot = await holder(name)
  expect(await bot.replace(bot.other())).toMatchObject({ keepsOwnPositions: false })
  await bot.expectRefused(bot.exit())
  const first = keysOf(bot, bot.way.exchange)
  expect(await bot.replace(first)).toMatchObject({ keepsOwnPositions: false })
  await bot.expectRefused(bot.exit())
})

test.each<WayName>(['MEXC futures, hedge', 'MEXC spot', 'Bitget futures, hedge'])(
  '%s: the same API key is of the same account, also while the exchange says nothing',
  async (name) => {
    const bot = await holder(name)
    const { exchange } = bot.way
    shared().paper.faults.add({ kind: '5xx', times: 2, match: { method: 'GET' } })
    const again = await bot.replace({ ...keysOf(bot, exchange), note: 'again' })
    shared().paper.faults.clear()
    expect(again).toMatchObject({ keepsOwnPositions: true, canWithdraw: null })
    await bot.done(bot.exit())
  },
)

test('keys that were deleted keep own positions when the next ones have the same account id', async () => {
  const bot = await holder('Bitget futures, one-way')
  const params = { clientId: bot.clientId, exchange: 'bg' } as const
  const remove = async () =>
    expect((await shared().call(deleteApiKey, { params })).status).toBe(204)
  await remove()
  expect(await bot.replace(bot.second())).toMatchObject({ keepsOwnPositions: true })
  await bot.done(bot.exit())
  await remove()
  expect(await bot.replace(bot.other())).toMatchObject({ keepsOwnPositions: false })
  await bot.expectRefused(bot.exit())
})

test('without a stored account id, the old key is asked, unless a key test has stored it', async () => {
  const bot = await holder('Bitget futures, one-way')
  const { paper, call } = shared()
  const { clientId } = bot
  /** Stores keys while the exchange does not say whose they are. */
  const silently = async () => {
    const keys = bot.second()
    paper.faults.add({ kind: '5xx', times: 0, match: { path: '/api/v2/spot/account/info' } })
    const saved = await bot.replace(keys)
    paper.faults.clear()
    expect(saved).toMatchObject({ keepsOwnPositions: false })
    return { delete: () => paper.accounts.removeKey('bg', `${clientId}-bg`, keys.apiKey) }
  }
  await silently()
  expect(await bot.replace(bot.second())).toMatchObject({ keepsOwnPositions: true })
  const unknown = await silently()
  unknown.delete()
  expect(await bot.replace(bot.second())).toMatchObject({ keepsOwnPositions: false })
  const known = await silently()
  expect((await call(testApiKey, { body: { clientId, exchange: 'bg' } })).status).toBe(200)
  known.delete()
  expect(await bot.replace(bot.second())).toMatchObject({ keepsOwnPositions: true })
})

test('MEXC does not say whose a key is: another key of the account is unknown', async () => {
  const bot = await holder('MEXC futures, hedge')
  expect(await bot.replace(bot.second())).toMatchObject({ keepsOwnPositions: false })
  await bot.expectRefused(bot.exit())
})

test('keys that the exchange does not accept inherit nothing', async () => {
  const bot = await holder('Bitget futures, one-way')
  const wrong = { ...bot.second(), passphrase: 'wrong' }
  expect(await bot.replace(wrong)).toMatchObject({ keepsOwnPositions: false })
})

test('an order that was sent with the key before is looked up with the next one', async () => {
  const bot = await holder('Bitget futures, one-way')
  await bot.limit({})
  const { paper } = shared()
  const READS = '/api/v2/mix/order/*'
  paper.faults.add({ kind: 'reset-after', match: { method: 'POST' } })
  paper.faults.add({ kind: '5xx', times: 0, match: { method: 'GET', path: READS } })
  const lost = await bot.send(bot.way.order({ does: 'open', size: '0.03', price: AT_ONCE }))
  expect(ownErrorOf(lost.json())).toMatchObject({ outcome: 'unknown' })
  await bot.replace(bot.second())
  paper.faults.clear()
  await eventually(async () => {
    expect(await bot.requestOf(lost)).toMatchObject({ state: 'resolved' })
  })
  await bot.limit(NOTHING)
  await bot.done(bot.way.order({ does: 'close', size: '0.05' }))
  expect(bot.net()).toBe(0)
})
