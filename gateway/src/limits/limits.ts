import type { ClientLimits, ExchangeCode, LimitCode, LimitUsage } from 'schema'
import { countOf, type OrderCall, type OrderKey } from '../exchanges/order-lookup/order-key.ts'
import type { ClientStore } from '../store/client-store.ts'
import { mandateOf } from '../store/client-store.ts'
import type { JournalRow, JournalStore } from '../store/journal-store.ts'
import type { Events } from '../upstream/events.ts'
import type { RulesCache } from '../upstream/rules-cache.ts'
import { EffectReader, type KnownOrders } from './changed-order.ts'
import {
  type AskedTerms,
  checkAmounts,
  checkTerms,
  isOrder,
  limitsTrading,
  opensOrder,
  type Terms,
  type Used,
  worthOf,
} from './check-limits.ts'
import { ClientBooks, DAY_MS, type LearntExit, minuteOf, type Reservation } from './client-book.ts'
import { doubted, LimitError, type Refusal } from './errors.ts'
import { type AskedExits, type Divided, Exits, type ExitsDeps } from './exits.ts'
import { EffectValues, toUsdt, type ValuedEffect } from './order-value.ts'
import { PastOrders, type PastOrdersDeps } from './past-orders.ts'
import type { Prices } from './prices.ts'
import { FillQuestions, OpenLists, type OpenListsDeps, type WaitingRequest } from './questions.ts'

/** The order, change, cancel or setting that is checked. */
interface LimitedRequest {
  readonly id: string
  readonly clientRef: number
  readonly clientId: string
  readonly exchange: ExchangeCode
  readonly endpoint: string
}

interface LimitsDeps extends ExitsDeps, Pick<OpenListsDeps, 'sync' | 'listsReadAtMs'> {
  readonly rules: RulesCache
  readonly prices: Prices
  readonly clients: Pick<ClientStore, 'find'>
  readonly journal: Pick<JournalStore, 'dayValues'> & PastOrdersDeps['journal']
  readonly workingOrders: KnownOrders & OpenListsDeps['workingOrders']
  readonly events: Pick<Events, 'emit' | 'on'>
  readonly nowMs: () => number
}

/** A call by what is known at the moment. */
interface Judged extends Pick<Divided, 'doubtful'> {
  /** Why it is refused, apart from prices and amounts. */
  readonly refused: Refusal | undefined
  readonly valued: readonly ValuedEffect[]
  /** Ends the refreshing of the prices that it needs. */
  readonly release: () => void
}

/** Who reads the usage. When a client reads it, the gateway does not ask the exchanges. */
type UsageReader = 'client' | 'admin' | 'setter'

/**
 * What each client may trade: checked when an order is admitted, and again just before it is
 * signed. It judges the call that will be signed, not the request that it was built from.
 */
export class Limits {
  readonly #deps: LimitsDeps
  readonly #values: EffectValues
  readonly #books: ClientBooks
  readonly #reader: EffectReader
  readonly #lists: OpenLists
  readonly #past: PastOrders
  readonly #exits: Exits
  /** For exits, and for entries that exits keep from their limits. */
  readonly #fills: { readonly ofExits: FillQuestions; readonly ofEntries: FillQuestions }

  constructor(deps: LimitsDeps) {
    this.#deps = deps
    this.#values = new EffectValues(deps.rules, deps.prices)
    this.#books = new ClientBooks(deps.nowMs, (exit) => this.#exits.isEnough(exit))
    this.#reader = new EffectReader(deps.workingOrders)
    this.#lists = new OpenLists(deps)
    this.#exits = new Exits(deps)
    this.#fills = { ofExits: new FillQuestions(deps), ofEntries: new FillQuestions(deps) }
    this.#past = new PastOrders({
      ...{ ...deps, values: this.#values },
      add: (clientRef, minute, micros) => this.#books.of(clientRef).day.addTo(minute, micros),
    })
    deps.events.on('orderSettled', ({ order, state }) => {
      if (state === 'dropped') this.forget(order.id)
      else this.#ended(order.id, state === 'refused')
    })
    deps.events.on('orderUnknown', ({ order }) => this.#books.reached(order.id))
    deps.events.on('orderNeverKnown', ({ order }) => this.#exits.free(order.id))
    deps.events.on('orderResolved', ({ order, outcome }) => {
      this.#ended(order.id, outcome === 'not-done')
    })
  }

  /** Reads what the orders of the last 24 hours were worth. Call it before the first order. */
  async restore(): Promise<void> {
    const { journal, nowMs } = this.#deps
    for (const { clientRef, minute, valueMicros } of await journal.dayValues(nowMs() - DAY_MS))
      this.#books.of(clientRef).day.addTo(minute, valueMicros)
  }

  /**
   * An order of the previous process that was sent, and whose outcome is not known. What it is
   * worth is among what `restore` has read. What it closes is reserved.
   */
  resume(row: JournalRow, key: OrderKey | undefined): void {
    const { id, clientRef, createdAtMs, valueMicros } = row
    if (key !== undefined) this.#exits.resume(row, key)
    if (valueMicros === null) return
    const minute = minuteOf(createdAtMs)
    const worth = { valueMicros, isValued: true }
    const reservation = { clientRef, minute, ...worth, opening: 0, release: holdsNothing }
    this.#books.resume(id, reservation)
  }

  /**
   * Admits a request, and reserves what its orders are worth until it is known that they were not
   * placed. The same request may be admitted again with another call.
   * @returns the code of the limit that would have refused it, were limits enforced
   * @throws LimitError: nothing is reserved
   */
  async admit(
    request: LimitedRequest,
    orderCall: OrderCall,
    { leverage, readSinceMs, waiting, isAgain = false }: Terms = {},
  ): Promise<LimitCode | undefined> {
    const { id, clientRef } = request
    this.#free(id, true)
    const client = await this.#deps.clients.find(clientRef, readSinceMs)
    if (client === undefined) return undefined
    const { limits, stopReason } = mandateOf(client)
    if (stopReason === undefined && !limitsTrading(limits)) {
      const { order } = orderCall
      this.#books.count(id, clientRef, order?.action === 'cancel' ? 0 : countOf(order))
      return undefined
    }
    const amounts = isAgain ? { ...limits, maxOrdersPerMinute: null } : limits
    const terms = { leverage, stopReason }
    const isEnforced = limits.mode === 'enforce' || stopReason !== undefined
    let judged: Judged | undefined
    try {
      const asked = await this.#askedOf(request, orderCall, limits, {
        ...{ isWaiting: true, readSinceMs },
      })
      const judge = () => this.#judge(request, asked, limits, { ...terms, isEnforced })
      judged = await judge()
      let refusal = this.#refusalOf(clientRef, amounts, judged)
      if (refusal !== undefined) {
        const { hasAsked, isKnown } = await this.#learn(request, refusal, judged, waiting)
        if (hasAsked) {
          judged.release()
          judged = await judge()
          refusal = this.#refusalOf(clientRef, amounts, judged)
        }
        if (refusal !== undefined && (!isKnown || asked.isUnread)) refusal = doubted(refusal)
      }
      for (const exchange of this.#lists.toRead(request, refusal)) {
        if (refusal?.code !== 'LIMIT_OPEN_ORDERS') break
        if (await this.#lists.read(clientRef, exchange))
          refusal = this.#refusalOf(clientRef, amounts, judged)
      }
      const shadowed = this.#enforce(request, limits, refusal, stopReason)
      // In the turn of the last check: two orders must not both find the same room.
      this.#reserve(request, judged.valued, judged.release)
      this.#remember(request, judged)
      if (shadowed !== undefined) this.#books.of(clientRef).shadowed.add(1, this.#deps.nowMs())
      return shadowed
    } catch (error) {
      judged?.release()
      this.#exits.free(request.id)
      throw error
    }
  }

  /**
   * Just before a call is signed. Does not wait for the exchange.
   * @returns why it must not be sent; undefined when it may
   */
  async recheck(
    request: LimitedRequest,
    orderCall: OrderCall,
    { leverage, readSinceMs }: Terms = {},
  ): Promise<LimitError | undefined> {
    const client = await this.#deps.clients.find(request.clientRef, readSinceMs)
    if (client === undefined) return undefined
    const { limits, stopReason } = mandateOf(client)
    if (stopReason === undefined && !limitsTrading(limits)) return undefined
    const asked = await this.#askedOf(request, orderCall, limits, {
      ...{ isWaiting: false, readSinceMs },
    })
    const { effects, exits } = this.#exits.divide(request, asked)
    const valued = await this.#values.known(request.exchange, effects, limits, exits)
    const reservation = this.#books.reservationOf(request.id)
    const used = this.#used(request.clientRef, reservation)
    // The order was counted when it was admitted.
    const amounts = { ...limits, maxOrdersPerMinute: null }
    const refusal =
      checkTerms(limits, effects, { leverage, stopReason, exits }) ??
      checkAmounts(amounts, used, valued)
    try {
      const perhaps = refusal && asked.isUnread ? doubted(refusal) : refusal
      this.#enforce(request, limits, perhaps, stopReason)
    } catch (error) {
      if (error instanceof LimitError) return error
      throw error
    }
    // Limits may have come while the order waited.
    if (reservation === undefined) this.#reserve(request, valued, holdsNothing)
    else this.#books.revalue(reservation, worthOf(valued))
    return undefined
  }

  /**
   * An admitted call, with what its orders close by the mode that the account had then. The record
   * of own positions must not count another side later.
   */
  inMode(orderCall: OrderCall): OrderCall {
    return this.#exits.inMode(orderCall)
  }

  /**
   * The record of own positions knows now what was open before an exit. An exit that was judged as
   * an ordinary order, because that was not known, no longer takes anything of the limits.
   */
  exitLearnt(exit: LearntExit): void {
    this.#storeFree(exit.journalId, this.#books.learnt(exit))
  }

  /** A request was not sent: what it took is free again, and it does not count. */
  forget(id: string): void {
    this.#books.notSent(id)
    this.#free(id, true)
  }

  /**
   * A request is about to be sent: from here on its orders are among the working orders.
   * @returns what it is worth, millionths of a USDT; null when nobody asked, or could tell
   */
  sending(id: string): number | null {
    const { isValued = false, valueMicros = 0 } = this.#books.sending(id) ?? {}
    return isValued ? valueMicros : null
  }

  /** The usage with the orders that were valued so far. */
  usageOf(clientRef: number): LimitUsage {
    const { dayMicros, openOrders, ordersLastMinute } = this.#used(clientRef)
    return {
      ...{ dayValue: toUsdt(dayMicros), openOrders, ordersLastMinute },
      openOrdersReadAt: this.#lists.readAt(clientRef),
      wouldHaveRefused: this.#books.of(clientRef).shadowed.total(this.#deps.nowMs()),
    }
  }

  /**
   * The usage with all orders that can be valued by what is known.
   * @param reader an administrator: what is missing, and the lists of open orders, are read in the
   * background. `setter`: so that a day's limit that was just set knows the orders before it
   */
  async readUsage(clientRef: number, reader: UsageReader): Promise<LimitUsage> {
    if (reader === 'setter') await this.#past.countAgain(clientRef)
    else await this.#past.count(clientRef)
    if (reader !== 'client') {
      this.#past.learnLater(clientRef)
      this.#lists.readLater(clientRef)
    }
    return this.usageOf(clientRef)
  }

  /** Checks a call against the limits by what is known now. Reserves what its exits take. */
  async #judge(
    request: LimitedRequest,
    asked: AskedExits,
    limits: ClientLimits,
    { isEnforced, ...terms }: Omit<AskedTerms, 'exits'> & { readonly isEnforced: boolean },
  ): Promise<Judged> {
    const { effects, exits, doubtful } = this.#exits.divide(request, asked)
    const refused = checkTerms(limits, effects, { ...terms, exits })
    if (refused !== undefined && isEnforced)
      return { doubtful, refused, valued: [], release: holdsNothing }
    const worth = await this.#values.ask(request.exchange, effects, limits, exits)
    return { doubtful, refused, ...worth }
  }

  /**
   * Asks for fills that may change whether the limits allow a call.
   * @returns whether it asked, and whether it knows now what the exits of the call may take
   * @throws NotOwnerError
   */
  async #learn(
    { clientRef }: LimitedRequest,
    { code }: Refusal,
    { doubtful }: Judged,
    waiting: WaitingRequest | undefined,
  ) {
    const { ofExits, ofEntries } = this.#fills
    const own = await ofExits.ask(clientRef, [...doubtful.values()], waiting)
    if (code !== 'LIMIT_DAY_VALUE' && code !== 'LIMIT_ORDER_RATE') return own
    const { hasAsked } = await ofEntries.ask(clientRef, this.#books.earlyOf(clientRef), waiting)
    return { ...own, hasAsked: own.hasAsked || hasAsked }
  }

  #refusalOf(clientRef: number, limits: ClientLimits, { refused, valued }: Judged) {
    return refused ?? checkAmounts(limits, this.#used(clientRef), valued)
  }

  /** Counts a request, and what it takes although its orders may turn out to be exits. */
  #remember({ id, clientRef }: LimitedRequest, { doubtful, valued }: Judged): void {
    const orders = valued.filter(isOrder)
    const exits = valued.filter(({ isExit }) => isExit === true)
    const atMs = this.#books.count(id, clientRef, orders.length, exits.length)
    const early = orders.flatMap(({ effect }) => doubtful.get(effect) ?? [])
    if (orders.length > 0 && early.length === orders.length)
      this.#books.remember(id, clientRef, early, atMs)
  }

  /** What a call does, and which of it may be exits. */
  #askedOf(
    request: LimitedRequest,
    orderCall: OrderCall,
    limits: ClientLimits,
    reading: Parameters<Exits['asked']>[4],
  ): Promise<AskedExits> {
    const effects = this.#reader.of(request, orderCall)
    return this.#exits.asked(request, orderCall, effects, limits, reading)
  }

  /**
   * Reports a refusal. In shadow mode only a stop is enforced.
   * @returns the code of one that is not enforced
   * @throws LimitError
   */
  #enforce(
    { clientRef, clientId, exchange, endpoint }: LimitedRequest,
    { mode }: ClientLimits,
    refusal: Refusal | undefined,
    stopReason: string | undefined,
  ): LimitCode | undefined {
    if (refusal === undefined) return undefined
    const { code } = refusal
    const isEnforced = mode === 'enforce' || stopReason !== undefined
    this.#deps.events.emit('limitReached', {
      ...{ clientId, exchange, endpoint, code },
      mode: isEnforced ? 'enforce' : 'shadow',
    })
    if (!isEnforced) return code
    throw new LimitError(this.#lists.withAge(clientRef, refusal))
  }

  #used(clientRef: number, own?: Reservation): Used {
    const { workingOrders, nowMs } = this.#deps
    const book = this.#books.of(clientRef)
    return {
      dayMicros: book.day.total(nowMs()) - (own?.valueMicros ?? 0),
      openOrders: workingOrders.countOf(clientRef) + book.opening - (own?.opening ?? 0),
      ordersLastMinute: book.minute.count(nowMs()),
      exitsLastMinute: book.exitMinute.count(nowMs()),
    }
  }

  #reserve(
    { id, clientRef }: LimitedRequest,
    valued: readonly ValuedEffect[],
    release: () => void,
  ): void {
    const opening = valued.filter((each) => isOrder(each) && opensOrder(each.effect)).length
    this.#books.reserve(id, clientRef, { ...worthOf(valued), opening, release })
  }

  /** A request that its exchange may have received has ended. */
  #ended(id: string, isReleased: boolean): void {
    this.#books.reached(id)
    this.#free(id, isReleased)
  }

  #free(id: string, isReleased: boolean): void {
    this.#exits.free(id)
    this.#storeFree(id, this.#books.ended(id, isReleased))
  }

  /** @param clientRef of a request that turned out to be exits alone */
  #storeFree(id: string, clientRef: number | undefined): void {
    if (clientRef === undefined) return
    const { journal, events } = this.#deps
    journal
      .setValues([{ id, valueMicros: 0 }])
      .catch((error: unknown) => events.emit('ordersNotValued', { clientRef, error }))
  }
}

function holdsNothing(): void {}
