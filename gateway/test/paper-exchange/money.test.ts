import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Account, futuresWallet, positionsOf } from '../../paper-exchange/src/account.ts'
import { createEngine, type Engine } from '../../paper-exchange/src/engine.ts'
import { decimal, ZERO } from '../../paper-exchange/src/exact-numbers.ts'
import { OrderRejectedError } from '../../paper-exchange/src/order-shelf.ts'
import { noExits } from '../../paper-exchange/src/trigger-book.ts'

const balances = { USDT: '10000', BTC: '1' }

function createTestEngine(unified = false): { engine: Engine; account: Account } {
  const engine = createEngine({
    nowMs: () => 1_785_000_000_000,
    accounts: [{ exchange: 'bg', apiKey: 'k', apiSecret: 's', passphrase: 'p', balances, unified }],
  })
  const [account] = engine.accounts.list()
  if (account === undefined) throw new Error('The engine has no account')
  return { engine, account }
}

const bitcoin = ({ markets }: Engine) => {
  const [market] = markets
  if (market === undefined) throw new Error('The engine has no market')
  return market
}

const price = fc
  .integer({ min: 40_000_0, max: 80_000_0 })
  .map((tenths) => decimal(tenths).shiftedBy(-1))
const liquidity = fc.option(
  fc.integer({ min: 0, max: 500 }).map((size) => decimal(size).shiftedBy(-3)),
)
const size = fc
  .integer({ min: 1, max: 400 })
  .map((thousandths) => decimal(thousandths).shiftedBy(-3))
const side = fc.constantFrom('buy', 'sell')
const force = fc.constantFrom('gtc', 'ioc', 'fok', 'post-only')

const step = fc.oneof(
  fc.record({
    do: fc.constant('place' as const),
    side,
    force,
    price: fc.option(price, { freq: 3 }),
    size,
    isReduceOnly: fc.boolean(),
    slot: fc.constantFrom('net', 'long', 'short'),
    leverage: fc.constantFrom(1, 7, 50, 125),
    marginMode: fc.constantFrom('cross', 'isolated'),
  }),
  fc.record({ do: fc.constant('price' as const), price, liquidity }),
  fc.record({ do: fc.constant('tick' as const) }),
  fc.record({ do: fc.constant('cancel' as const), nth: fc.nat(5) }),
  fc.record({ do: fc.constant('amend' as const), nth: fc.nat(5), price, size }),
)
const steps = fc.array(step, { minLength: 1, maxLength: 40 })

/** Does what may be rejected; anything but a rejection fails the test. */
function attempt(work: () => unknown): void {
  try {
    work()
  } catch (error) {
    if (!(error instanceof OrderRejectedError)) throw error
  }
}

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never
type Placing = Extract<Step, { do: 'place' }>

/** Does what is drawn, one after another, and looks at the money after each. */
function run<Order>(
  { engine, account }: ReturnType<typeof createTestEngine>,
  book: {
    readonly orders: { open(name: string): readonly Order[] }
    cancel(order: Order): unknown
    amend(order: Order, to: Extract<Step, { do: 'amend' }>): unknown
  },
  steps: readonly Step[],
  { place, check }: { place: (step: Placing, clientId: string) => unknown; check: Check },
): void {
  for (const [index, now] of steps.entries()) {
    const nth = 'nth' in now ? book.orders.open(account.name)[now.nth] : undefined
    if (now.do === 'price') engine.prices.set(bitcoin(engine), now.price, now.liquidity)
    else if (now.do === 'tick') engine.tick()
    else if (now.do === 'place') attempt(() => place(now, `${index}`))
    else if (nth !== undefined && now.do === 'cancel') book.cancel(nth)
    else if (nth !== undefined && now.do === 'amend') attempt(() => book.amend(nth, now))
    check(engine, account)
  }
}
type Check = (engine: Engine, account: Account) => void

test('whatever is traded on spot, no balance is negative and nothing appears or vanishes but fees', () => {
  fc.assert(
    fc.property(steps, (sequence) => {
      const made = createTestEngine()
      const { engine, account } = made
      const { spot } = engine.venues.bg
      const place = ({ side, price, size, force }: Placing, clientId: string) => {
        const spends = price === null && side === 'buy'
        return spot.place({
          ...{ account, market: bitcoin(engine), side, price, clientId, labels: {} },
          force: price === null ? 'ioc' : force,
          size: spends ? null : size,
          quoteAmount: spends ? size.times(60_000) : null,
        })
      }
      run(made, spot, sequence, { place, check: checkSpot })
      for (const order of spot.orders.open()) spot.cancel(order)
      for (const { locked } of account.spot.list()) expect(locked.toFixed()).toBe('0')
      checkSpot(engine, account)
    }),
    { numRuns: 300 },
  )
})

function checkSpot(engine: Engine, account: Account): void {
  const expected = new Map([
    ['USDT', decimal(balances.USDT)],
    ['BTC', decimal(balances.BTC)],
  ])
  const add = (coin: string, amount: ReturnType<typeof decimal>) =>
    expected.set(coin, (expected.get(coin) ?? ZERO).plus(amount))
  for (const { order, price, size, fee, feeCoin } of engine.venues.bg.spot.tradesOf(account.name)) {
    const sign = order.side === 'buy' ? 1 : -1
    add('BTC', size.times(sign))
    add('USDT', size.times(price).times(-sign))
    add(feeCoin, fee.negated())
  }
  for (const { coin, free, locked } of account.spot.list()) {
    expect(free.isNegative() || locked.isNegative()).toBe(false)
    expect(free.plus(locked).toFixed()).toBe(expected.get(coin)?.toFixed())
  }
}

test('whatever is traded in futures, cash is what was there, plus profits, minus fees, and never negative', () => {
  fc.assert(
    fc.property(fc.constantFrom('one-way', 'hedge'), fc.boolean(), steps, (...drawn) => {
      const [mode, unified, sequence] = drawn
      const made = createTestEngine(unified)
      const { engine, account } = made
      account.futures.positionMode = mode
      const { contracts } = engine.venues.bg
      const place = ({ do: _do, ...fields }: Placing, clientId: string) => {
        const slot = fields.slot === 'short' ? 'short' : 'long'
        const isReduceOnly = (fields.side === 'buy') !== (slot === 'long')
        return contracts.place({
          ...{ ...fields, account, market: bitcoin(engine), clientId, labels: {}, exits: noExits },
          ...(mode === 'hedge' ? { slot, isReduceOnly } : { slot: 'net' as const }),
          force: fields.price === null ? 'ioc' : fields.force,
        })
      }
      run(made, contracts, sequence, { place, check: checkFutures })
    }),
    { numRuns: 300 },
  )
})

function checkFutures(engine: Engine, account: Account): void {
  const { contracts } = engine.venues.bg
  const wallet = futuresWallet(account, 'USDT')
  for (const amount of [wallet.cash, wallet.available, wallet.frozen, wallet.positionMargin]) {
    expect(amount.isNegative()).toBe(false)
  }
  const frozen = contracts.orders
    .open(account.name)
    .reduce((sum, order) => sum.plus(order.frozen), ZERO)
  expect(wallet.frozen.toFixed()).toBe(frozen.toFixed())
  const held = positionsOf(account).reduce((sum, position) => sum.plus(position.margin), ZERO)
  expect(wallet.positionMargin.toFixed()).toBe(held.toFixed())
  const trades = contracts.tradesOf(account.name)
  const booked = trades.reduce((sum, { profit, fee }) => sum.plus(profit).minus(fee), ZERO)
  const expected = decimal(balances.USDT).plus(booked).plus(wallet.insurance)
  expect(wallet.cash.toFixed()).toBe(expected.toFixed())
}
