import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { UpstreamCall } from '../../src/exchanges/exchange.ts'
import type { AccountEvent } from '../../src/exchanges/feed.ts'
import type { Verdict } from '../../src/exchanges/protocol/verdict.ts'
import {
  closeGap,
  compareOpenOrders,
  type Gap,
  type GapDeps,
  type GapEnd,
} from '../../src/streams/close-gap.ts'
import { keyTextOf, knownUntilMs, Picture } from '../../src/streams/picture.ts'
import type { StoredStreamEvent } from '../../src/streams/stream-event.ts'
import { createTimings, type RequestContext } from '../../src/upstream/request-context.ts'
import { BotAccount, isEnded } from './bot-account.ts'
import {
  type Frame,
  keyOf,
  ModelExchange,
  modelFeed,
  PAGE,
  stateOf,
  type Traits,
} from './model-exchange.ts'

const ACTS = [
  ...(['place', 'market', 'market', 'fill', 'fill', 'fill', 'cancel', 'amend'] as const),
  ...(['deliver', 'deliver', 'deliver', 'repeat', 'lose', 'write', 'cut', 'connect'] as const),
  ...(['takeOver', 'compare', 'read', 'read', 'read', 'serve', 'serve', 'respond'] as const),
  ...(['fail', 'pass'] as const),
] as const
interface Act {
  readonly kind: (typeof ACTS)[number]
  readonly pick: number
  readonly size: number
}

interface Schedule {
  readonly traits: Traits
  /** Pushes may be lost without anybody noticing. */
  readonly losesPushes: boolean
  readonly acts: readonly Act[]
}

const schedules: fc.Arbitrary<Schedule> = fc.record({
  traits: fc.record({
    ...{ hasVersions: fc.boolean(), hasTimes: fc.boolean(), embedsFills: fc.boolean() },
    hasTimesInRest: fc.boolean(),
    ...{ pushesWholeLists: fc.boolean(), hasOtherIds: fc.boolean(), hidesFills: fc.boolean() },
    ...{ forgets: fc.boolean(), showsLate: fc.boolean() },
  }),
  losesPushes: fc.boolean(),
  acts: fc.array(
    fc.record({
      kind: fc.constantFrom(...ACTS),
      pick: fc.nat({ max: 50 }),
      size: fc.integer({ min: 1, max: 5 }),
    }),
    { minLength: 10, maxLength: 60 },
  ),
})

const rejection = { class: 'permission', exchangeCode: '1', exchangeMessage: '' } as const
const FAILURES = [
  ...[undefined, { kind: 'unknown', why: 'no response' }, { kind: 'rejected', rejection }],
] as const
/** By the ids of orders. */
const FILLED_BEFORE: Readonly<Record<string, number>> = { 1: 2, 2: 2 }

const PLAIN: Traits = {
  ...{ hasVersions: false, hasTimes: true, embedsFills: false, hasTimesInRest: false },
  ...{ pushesWholeLists: false, hasOtherIds: false, hidesFills: false },
  ...{ forgets: false, showsLate: false },
}
/** A word for each act: its kind, then what it picks, then its size. */
const actsOf = (words: string): Act[] =>
  words.split(', ').map((word) => {
    const [kind = '', pick, size] = word.split(' ')
    return { kind: kind as Act['kind'], pick: Number(pick), size: Number(size) }
  })

/** What random schedules come upon too seldom. */
const SEEN: readonly (readonly [Schedule])[] = [
  [
    // The push of a fill is lost, that of its order is not: a comparison finds it.
    {
      ...{ traits: PLAIN, losesPushes: true },
      acts: actsOf('read 1 5, place 1 5, deliver 0 2, fill 2 1, lose 1 1, deliver 0 3'),
    },
  ],
  [
    // REST does not show an order yet that was pushed: it is not taken for gone.
    {
      ...{ traits: { ...PLAIN, showsLate: true }, losesPushes: false },
      acts: actsOf('read 1 5, place 1 5, deliver 1 2, cut 1 1, connect 1 1, read 1 5'),
    },
  ],
  [
    // A fill is inferred, its own one and a later one come: then another gateway takes over.
    {
      ...{ traits: { ...PLAIN, hidesFills: true }, losesPushes: false },
      acts: actsOf(
        'read 1 5, place 1 5, deliver 1 9, fill 2 1, deliver 0 1, cut 1 1, connect 1 1, read 1 5, ' +
          'fill 2 1, deliver 1 9, fill 2 1, deliver 1 9, takeOver 2 1',
      ),
    },
  ],
]

interface Waiting {
  readonly call: UpstreamCall
  readonly end: (verdict: Verdict | undefined) => void
  verdict?: Verdict
}

/** Consecutive gateways with the feed of one account, and a bot that receives their events. */
class World {
  readonly bot = new BotAccount()
  readonly exchange: ModelExchange
  readonly #stored: StoredStreamEvent[] = []
  readonly #schedule: Schedule
  #queue: StoredStreamEvent[] = []
  #picture = new Picture()
  /** On their way over the socket that is up, and what came of it. */
  #frames: Frame[] = []
  #came: Frame[] = []
  #isUp = false
  #isLive = false
  #waiting: Waiting[] = []
  #round: AbortController | undefined
  /** Of the last frame before the gap. */
  #knownUntilMs: number | null = null
  /** Orders of which nobody can know what was filled before. */
  readonly #unsure = new Set<string>()
  #received = new Set<string>()
  readonly #firstFilled = new Set<string>()
  /** When the present gateway first closed a gap. */
  #closedAtMs = Infinity
  hasLost = false
  #lastEnd: GapEnd = 'unknown'
  /** A list had several pages: an order of others may have been missed between them. */
  #hasPages = false
  readonly wrongs: string[] = []

  constructor(schedule: Schedule) {
    this.#schedule = schedule
    this.exchange = new ModelExchange(schedule.traits, (frame) => {
      if (this.#isUp) this.#frames.push(frame)
    })
    // Somebody traded before the gateway listened.
    for (const isOwn of [true, false])
      this.exchange.fill(this.exchange.place({ side: 'buy', isOwn, quantity: 5, price: 10 }), 2)
    this.exchange.nowMs += 7_200_000
    this.#knownUntilMs = this.exchange.nowMs
    this.#tellState('gap')
    this.#write()
    this.#connect()
  }

  async act({ kind, pick, size }: Act): Promise<void> {
    const { exchange } = this
    const open = exchange.open()
    const order = open[pick % Math.max(1, open.length)]
    const side = pick % 2 === 0 ? 'buy' : 'sell'
    const isOwn = pick % 3 !== 0
    switch (kind) {
      case 'place':
        exchange.place({ side, isOwn, quantity: size, price: 10 + size })
        break
      case 'market': {
        const placed = exchange.place({ side, isOwn, quantity: size, price: 10 })
        exchange.fill(placed, 2)
        if (placed.status !== 'filled') exchange.fill(placed, size)
        break
      }
      case 'fill':
        if (order !== undefined) exchange.fill(order, size)
        break
      case 'cancel':
        if (order !== undefined) exchange.cancel(order)
        break
      case 'amend':
        if (order !== undefined) exchange.amend(order, 10 + pick)
        break
      case 'deliver':
        for (let left = size; left > 0; left -= 1) this.#deliver(this.#isOrdered ? 0 : pick % 9)
        break
      case 'repeat':
        if (!this.#isOrdered) this.#frames.push(...this.#came.slice(-1 - (pick % 9)).slice(0, 1))
        break
      case 'lose':
        if (this.#schedule.losesPushes && this.#frames.splice(pick % 9, 1).length > 0)
          this.hasLost = true
        break
      case 'write':
        this.#write()
        break
      case 'cut':
        this.cut()
        break
      case 'connect':
        this.#connect()
        break
      case 'takeOver':
        this.#takeOver(pick)
        break
      case 'compare':
        this.compare()
        break
      case 'read':
        for (let left = 2 * size; left > 0; left -= 1) {
          this.#serve()
          this.#respond()
          await nextTurn()
        }
        break
      case 'serve':
        this.#serve()
        break
      case 'respond':
        this.#respond()
        break
      case 'fail':
        this.#waiting.shift()?.end(FAILURES[pick % FAILURES.length])
        break
      case 'pass':
        // No push is on its way for a minute.
        if (this.#frames.length === 0) exchange.nowMs += size * 20_000
    }
    await nextTurn()
    if (kind !== 'takeOver' && pick % 4 > 0) this.#write()
    if (this.#isUp && !this.#isLive && this.#round === undefined) this.#reconcile()
  }

  /** Lets everything that is on its way come, until the feed is live. */
  async calm(): Promise<void> {
    this.#connect()
    for (let turn = 0; turn < 400; turn += 1) {
      while (this.#frames.length > 0) this.#deliver(0)
      if (this.#round === undefined && !this.#isLive) this.#reconcile()
      this.#serve()
      this.#respond()
      await nextTurn()
      if (this.#isLive && this.#round === undefined) return this.#write()
      // An order that is nowhere may still be shown.
      if (turn % 50 === 49) this.exchange.nowMs += 61_000
    }
    throw new Error('The gap is never closed')
  }

  cut(): void {
    if (this.#isLive) this.#tellState('gap')
    this.#isUp = false
    this.#isLive = false
    this.#frames = []
    this.#came = []
    this.#round?.abort()
    this.#round = undefined
    for (const { end } of this.#waiting.splice(0)) end(undefined)
  }

  /** A comparison that cannot know something yet is made again, minutes later. */
  async compareInTheEnd(): Promise<void> {
    do {
      this.exchange.nowMs += 61_000
      this.compare()
      await this.calm()
    } while (this.#lastEnd !== 'closed')
  }

  compare(): void {
    if (!this.#isLive || this.#round !== undefined) return
    void this.#run(compareOpenOrders)
  }

  /** What went wrong in the end. */
  wrongsNow(after: 'calm' | 'comparison' | 'gap'): string[] {
    const { bot, exchange } = this
    const { traits } = this.#schedule
    const wrongs = [...this.wrongs, ...bot.wrongs]
    for (const order of exchange.orders) {
      const received = bot.orders.get(`futures ${order.id}`)
      const name = `order ${order.id}`
      if (received === undefined) {
        // Unseen by the gateway, somebody placed it by hand, or the exchange forgot it.
        const isForgotten = traits.forgets && order.filled === 0
        const isOver = isEnded(order) && (!order.isOwn || isForgotten)
        const mayBeUnseen = after === 'calm' && !order.isOwn && (this.#hasPages || traits.showsLate)
        if (!isOver && !mayBeUnseen) wrongs.push(`${name} is missing`)
        continue
      }
      // What was changed of an order that the exchange forgot, nobody knows.
      const price = received.reason === null ? Number(received.price) : order.price
      const said = stateOf(order.id, received.status, Number(received.filledQuantity), price)
      const is = stateOf(order.id, order.status, order.filled, order.price)
      if (said !== is) wrongs.push(`${said}, but it is ${is}`)
      const sum = this.#filledOf(order.id)
      // What no list has is inferred rather too late.
      const isUnsure = this.#unsure.has(order.id)
      const mayLack =
        (traits.hidesFills && (after === 'calm' || isUnsure)) || (isUnsure && after !== 'gap')
      if (mayLack ? sum > order.filled : sum !== order.filled)
        wrongs.push(`${name} has ${order.filled} filled, and fills of ${sum}`)
    }
    const { losesPushes } = this.#schedule
    if (!losesPushes && !traits.hidesFills && bot.fills.some(({ inferred }) => inferred))
      wrongs.push('a fill was inferred although all were read')
    if (this.hasLost && after !== 'gap') return wrongs
    const held = exchange.position()
    for (const [side, is] of [
      ['long', Math.max(0, held)],
      ['short', Math.max(0, -held)],
    ] as const) {
      const said = Number(bot.positions.get(`futures AB ${side}`)?.quantity ?? 0)
      if (said !== is) wrongs.push(`the ${side} position is ${is}, not ${said}`)
    }
    const { available, locked } = exchange.balance()
    const received = bot.balances.get('futures USDT')
    if (`${received?.available} ${received?.locked}` !== `${available} ${locked}`)
      wrongs.push(
        `the balance is ${available} ${locked}, not ${received?.available} ${received?.locked}`,
      )
    return wrongs
  }

  /** Also before anybody listened. */
  #filledOf(orderId: string): number {
    return this.bot.filledOf(orderId) + (FILLED_BEFORE[orderId] ?? 0)
  }

  /** Nothing but the order of pushes says which is newer. */
  get #isOrdered(): boolean {
    return !this.#schedule.traits.hasTimes
  }

  #deliver(at: number): void {
    const [frame] = this.#frames.splice(Math.min(at, this.#frames.length - 1), 1)
    if (frame === undefined) return
    this.#came.push(frame)
    if (this.#isLive) this.#knownUntilMs = this.exchange.nowMs
    const { events, whole } = frame
    this.#tell(
      this.#picture.apply(events, { source: 'stream', atMs: this.#nowMs(), whole }),
      'stream',
    )
  }

  /** Moves on between frames and reads, as a monotonic clock does. */
  #nowMs(): number {
    this.exchange.nowMs += 1
    return this.exchange.nowMs
  }

  #connect(): void {
    if (this.#isUp) return
    this.#isUp = true
    this.#reconcile()
  }

  #takeOver(pick: number): void {
    this.cut()
    this.#queue = []
    this.#picture = new Picture()
    this.#closedAtMs = Infinity
    const stored = pick % 2 === 0 ? this.#stored : this.#stored.toReversed()
    this.#picture.restore(stored, modelFeed, this.#nowMs())
    this.#knownUntilMs = knownUntilMs(this.#stored)
    // Whether that was filled before anybody listened, the next gateway cannot know; nor where the
    // times of orders are not exact.
    const { hasVersions } = this.#schedule.traits
    for (const { orderId, filledQuantity } of this.bot.orders.values()) {
      const isTold = this.#filledOf(orderId) === Number(filledQuantity) && !hasVersions
      if (this.#firstFilled.has(orderId) && !isTold) this.#unsure.add(orderId)
    }
    this.#received = new Set([...this.bot.orders.values()].map(({ orderId }) => orderId))
    this.#tellState('gap')
    if (pick % 3 > 0) this.#connect()
  }

  #reconcile(): void {
    void this.#run(closeGap).then(() => {})
  }

  async #run(read: (deps: GapDeps, gap: Gap) => Promise<GapEnd>): Promise<void> {
    const round = new AbortController()
    this.#round = round
    const end = await read(this.#deps(), this.#gap(round.signal))
    if (round.signal.aborted) return
    this.#round = undefined
    this.#lastEnd = end
    if (end !== 'closed') return
    if (!this.#isLive) this.#tellState('live')
    this.#isLive = true
    this.#closedAtMs = Math.min(this.#closedAtMs, this.exchange.nowMs)
  }

  #gap(signal: AbortSignal): Gap {
    const working = this.exchange.orders.filter(({ id, isOwn }) => {
      const received = this.bot.orders.get(`futures ${id}`)
      return isOwn && (received === undefined || !isEnded(received))
    })
    return {
      ...{ protocol: modelFeed, picture: this.#picture, lastFrameMs: this.#knownUntilMs },
      context: {
        ...{ requestId: 'r', method: 'GET', endpoint: 'e', clientRef: 1, clientId: 'c', signal },
        timings: createTimings(),
      },
      inUse: { symbols: { spot: [], futures: [] }, productTypes: [] },
      working: working.map(({ id, placedMs }) => ({
        ...{ key: keyOf(id), orderId: id, clientOrderId: `c${id}`, placedAtMs: placedMs },
      })),
      apply: (change) => {
        if (!signal.aborted) this.#tell(change(), 'rest')
      },
    }
  }

  #deps(): GapDeps {
    const send = (call: UpstreamCall) => {
      const { promise, resolve, reject } = Promise.withResolvers<{ verdict: Verdict }>()
      const end = (verdict?: Verdict) =>
        verdict === undefined ? reject(new Error('It was not sent')) : resolve({ verdict })
      this.#waiting.push({ call, end })
      return promise
    }
    const upstream = {
      ...{ exchange: 'mx', name: 'MEXC' },
      accountKindOf: async () => null,
      openKeys: async () => null,
      signAndSend: ({ signal }: RequestContext, call: UpstreamCall) =>
        signal?.aborted === true ? Promise.reject(new Error('It was ended')) : send(call),
      send: (
        context: unknown,
        _call: unknown,
        options: { inSlot: (slot: unknown, now: unknown) => unknown },
      ) => options.inSlot(undefined, context),
    }
    return {
      upstream: upstream as unknown as GapDeps['upstream'],
      clock: { nowMs: () => this.exchange.nowMs },
      time: { now: () => this.exchange.nowMs, monotonic: () => this.#nowMs() },
      events: { emit: () => true },
    }
  }

  /** The exchange gets the oldest call that it has not got. */
  #serve(): void {
    this.#hasPages ||= this.exchange.open().length >= PAGE
    const next = this.#waiting.find(({ verdict }) => verdict === undefined)
    if (next !== undefined) next.verdict = this.exchange.respond(next.call)
  }

  /** Its response comes, of what may have changed since. */
  #respond(): void {
    const [first] = this.#waiting
    if (first?.verdict === undefined) return
    this.#waiting.shift()
    first.end(structuredClone(first.verdict))
  }

  #tell(events: readonly AccountEvent[], source: 'stream' | 'rest'): void {
    for (const event of events) {
      this.#check(event)
      const { type, timeMs, data } = event
      this.#queue.push({ ...this.#row(data), type, timeMs, source, key: keyTextOf(event) })
    }
  }

  #tellState(state: 'gap' | 'live'): void {
    const none = { source: 'journal', timeMs: null, key: null } as const
    this.#queue.push({ ...this.#row({ state }), ...none, type: 'state' })
  }

  #row(data: object) {
    const about = { seq: 0, accountRef: 1, ownerRef: null, exchange: 'mx', symbol: null } as const
    return {
      ...about,
      market: 'futures',
      receivedAtMs: this.exchange.nowMs,
      data: JSON.stringify(data),
    } as const
  }

  /** Nothing is published that did not happen. */
  #check(event: AccountEvent): void {
    const { exchange } = this
    if (event.type === 'order') {
      const { orderId, status, filledQuantity, price } = event.data
      const isFirst = !this.#received.has(orderId)
      this.#received.add(orderId)
      if (isFirst && Number(filledQuantity) > 0) this.#firstFilled.add(orderId)
      const isSure = (event.timeMs ?? 0) > this.#closedAtMs
      if (isFirst && Number(filledQuantity) > 0 && !isSure) this.#unsure.add(orderId)
      const state = stateOf(orderId, status, Number(filledQuantity), Number(price))
      if (!exchange.states.has(state) && event.isGone !== true)
        this.wrongs.push(`${state} never was`)
    } else if (event.type === 'position') {
      const { side, quantity } = event.data
      if (Number(quantity) > 0 && !exchange.states.has(`position ${side} ${quantity}`))
        this.wrongs.push(`a position of ${side} ${quantity} never was`)
    } else if (event.type === 'balance') {
      const { available, locked } = event.data
      if (!exchange.states.has(`balance ${available} ${locked}`))
        this.wrongs.push(`a balance of ${available} never was`)
    } else if (!event.data.inferred) {
      const { fillId, quantity } = event.data
      const fill = exchange.fills.find(({ id }) => id === fillId || `r${id}` === fillId)
      if (fill?.quantity !== Number(quantity)) this.wrongs.push(`the fill ${fillId} never was`)
    }
  }

  /** On the disk, and to the bot. */
  #write(): void {
    for (const event of this.#queue.splice(0)) {
      const stored = { ...event, seq: this.#stored.length + 1 }
      this.#stored.push(stored)
      this.bot.receive(stored.type, stored.market, JSON.parse(stored.data))
    }
  }
}

test('after any pushes, losses, repetitions, cuts, takeovers and failed or stale reads a bot knows what the exchange knows', async () => {
  await fc.assert(
    fc.asyncProperty(schedules, async (schedule) => {
      const world = new World(schedule)
      for (const act of schedule.acts) await world.act(act)
      await world.calm()
      if (!world.hasLost) expect(world.wrongsNow('calm')).toEqual([])
      await world.compareInTheEnd()
      expect(world.wrongsNow('comparison')).toEqual([])
      world.cut()
      await world.calm()
      expect(world.wrongsNow('gap')).toEqual([])
    }),
    { numRuns: Number(process.env.RUNS ?? 1_000), examples: SEEN.map(([schedule]) => [schedule]) },
  )
})
