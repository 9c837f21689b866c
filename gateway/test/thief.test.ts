import type { ClientLimitChanges } from 'schema'
import { expect, onTestFinished, test } from 'vitest'
import { ownErrorOf } from './support/call.ts'
import { startHoldingProxy } from './support/holding-proxy.ts'
import { IS_LONG } from './support/is-long.ts'
import { ATTACKS } from './thief/attacks.ts'
import { draftOf, orderBy } from './thief/calls.ts'
import { createDice, type Dice } from './thief/dice.ts'
import { type Keyring, type Moved, thiefWorld, type World } from './thief/world.ts'

// A thief has a valid token of a client that may move DAY USDT in a day, and hundreds of attempts;
// a thousand with `LONG=1`. The short form makes each kind of attack several times too.

/** Each run makes the same attacks. Another seed makes others. */
const SEED = Number(process.env.THIEF_SEED ?? 1_002)
const DAY = 2_000
const ORDER = 700
const THIEVES = IS_LONG ? 20 : 6
const ATTACKS_EACH = 50
const names = Object.keys(ATTACKS)
/** The kinds of attacks that were made. */
const made = new Set<string>()
const LIMITS: ClientLimitChanges = {
  ...{ maxDayValue: `${DAY}`, maxOrderValue: `${ORDER}`, maxLeverage: 5 },
  symbols: ['BTC*', 'ETHUSDT', 'SOL_USDT'],
  // What is closed counts too. What a thief may close beside it: exits-thief.test.ts.
  exits: 'limited',
}
const OTHER_LIMITS: ClientLimitChanges[] = [
  {},
  { maxDayValue: `${DAY / 2}` },
  { state: 'reducing' },
]
/** The exchange carries a call out, and its response is lost. */
const FAULTS = ['reset-after', 'garbage'] as const
const OPEN = new Set(['BTCUSDT', 'ETHUSDT', 'SOLUSDT'])

test('a thief with hundreds of attacks never moves more than the limit', async () => {
  console.info(`THIEF_SEED=${SEED}`)
  const dice = createDice(SEED)
  const world = await thiefWorld()
  const results: Result[] = []
  for (let number = 0; number < THIEVES; number += 1)
    results.push(await attack(world, dice, number, LIMITS))
  expect(results.flatMap(({ breaches }) => breaches)).toEqual([])
  const moved = results.reduce((sum, each) => sum + each.moved, 0)
  console.info(`${THIEVES} thieves moved ${Math.round(moved)} USDT of ${THIEVES * DAY}`)
  expect([...made].toSorted()).toEqual(names.toSorted())
  // Otherwise the attacks were too clumsy to be dangerous.
  expect(moved).toBeGreaterThan((THIEVES * DAY) / 4)
}, 900_000)

test('without limits the same attacks move more, and that is seen', async () => {
  const world = await thiefWorld()
  const dice = createDice(SEED)
  const kinds = ['moved', 'one order', 'symbols']
  const unseen = new Set(kinds)
  // One thief draws only some of the attacks.
  for (let number = 0; number < THIEVES && unseen.size > 0; number += 1) {
    const { breaches } = await attack(world, dice, number, {})
    for (const kind of kinds)
      if (breaches.some((breach) => breach.includes(kind))) unseen.delete(kind)
  }
  expect([...unseen]).toEqual([])
}, 900_000)

interface Result {
  /** USDT */
  readonly moved: number
  /** What no client with these limits may have done. */
  readonly breaches: readonly string[]
}

async function attack(
  world: World,
  dice: Dice,
  number: number,
  limits: ClientLimitChanges,
): Promise<Result> {
  const { thief, owner, ledger } = await world.clients(`thief-${number}`, number % 2 === 1)
  await world.setLimits(thief, limits)
  world.paper.faults.clear()
  await placeOwners(world, owner, number % 2 === 1)
  ledger.ignoreNew()
  const breaches: string[] = []
  for (let count = 0; count < ATTACKS_EACH; count += 1) {
    const name = dice.pick(names)
    made.add(name)
    const share = dice.pick([0.03, 0.1, 0.1, 0.3, 0.34, 0.6, 5])
    await ATTACKS[name]?.({
      dice,
      draft: () => draftOf(dice, (base) => world.prices[base], DAY * dice.between(0.01, share)),
      open: () => ledger.open(),
      send: (call) => world.send(thief, call),
    })
    const found = breachOf(ledger.read())
    if (found !== undefined) breaches.push(`thief ${number}, attack ${count}, ${name}: ${found}`)
    if (dice.chance(0.15)) world.movePrices(dice)
    if (dice.chance(0.06)) {
      // One at a time: several in a row would close the exchange for up to a minute.
      world.paper.faults.clear()
      world.paper.faults.add({ kind: dice.pick(FAULTS), match: { method: 'POST' } })
    }
    if (dice.chance(0.01)) await world.restart()
    if (dice.chance(0.04) && limits.maxDayValue !== undefined)
      await world.setLimits(thief, { ...limits, ...dice.pick(OTHER_LIMITS) })
  }
  const { booked, traded } = ledger.read()
  return { moved: Math.max(booked, traded), breaches }
}

function breachOf({ booked, traded, largest, symbols }: Moved): string | undefined {
  const closed = [...symbols].filter((symbol) => !OPEN.has(symbol))
  const problems = [
    ...(Math.max(booked, traded) > DAY ? [`moved ${booked}, traded ${traded}`] : []),
    ...(largest > ORDER ? [`one order of ${largest}`] : []),
    ...(closed.length > 0 ? [`symbols ${closed}`] : []),
  ]
  return problems.length === 0 ? undefined : problems.join('; ')
}

/** Orders of another client with the same keys, far from the market. */
async function placeOwners(world: World, owner: Keyring, unified: boolean): Promise<void> {
  for (const url of unified
    ? ['/api/bg/v1/spot/trade/place-order']
    : ['/api/bg/v1/spot/trade/place-order', '/api/bg/v1/futures/trade/place-order']) {
    const fields = {
      ...{ symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', force: 'gtc', size: '0.01' },
    }
    const more = url.includes('futures') ? { marginMode: 'crossed' } : {}
    const placed = await world.send(owner, { url, fields: { ...fields, price: '20000', ...more } })
    expect(placed.statusCode, placed.body).toBe(200)
  }
}

test('orders that wait while the price doubles are valued by the new price', async () => {
  const network = await startHoldingProxy(() => Number(new URL(world.paper.url).port))
  onTestFinished(() => network.close())
  const world = await thiefWorld({
    ...{ RATE_LIMIT_PER_SECOND: '4', MEXC_SPOT_URL: `http://127.0.0.1:${network.port}` },
  })
  const { thief, ledger } = await world.clients('waiting', false)
  await world.setLimits(thief, { maxDayValue: '2600' })
  const draft = { base: 'BTC', side: 'sell', price: undefined, size: '0.01', quote: '600' } as const
  const sell = () => world.send(thief, orderBy('mexcSpot', draft))
  expect((await sell()).statusCode).toBe(200)
  // A read that is on its way keeps the orders waiting.
  network.cut()
  const read = world.send(thief, { method: 'GET', url: '/mx/api/v3/account' })
  await expect.poll(() => world.inFlight()).toBe(1)
  const waiting = Array.from({ length: 3 }, sell)
  await expect.poll(async () => (await world.usage(thief)).dayValue).toMatch(/^25\d\d/)
  world.setPrice('BTC', 120_000)
  // The old price is too old to be used while the new one is fetched.
  world.skip(66_000)
  const late = world.send(thief, orderBy('mexcSpot', { ...draft, size: '0.0001' }))
  network.heal(true)
  expect((await read).statusCode).toBe(200)
  const answers = await Promise.all([...waiting, late])
  const refused = answers.filter(({ statusCode }) => statusCode === 422)
  expect(refused.map((answer) => ownErrorOf(answer.json()).code).toSorted()).toEqual(
    refused.map(() => expect.stringMatching(/^LIMIT_(?:DAY_VALUE|UNVALUED)$/)),
  )
  expect(refused.length).toBeGreaterThan(0)
  const { traded } = ledger.read()
  expect(traded).toBeLessThanOrEqual(2_600)
})
