import { EXCHANGES, type ExchangeCode, type Stop, type StopPreview } from 'schema'
import type { Lane } from '../lane/lane-types.ts'
import { LimitError, refuseStopped } from '../limits/errors.ts'
import type { Author, NewAuditEntry } from '../store/audit-chain.ts'
import type { AuditStore } from '../store/audit-store.ts'
import type { ClientStore } from '../store/client-store.ts'
import { ClientGoneError, NotOwnerError } from '../store/errors.ts'
import type { StopRow, StopStore } from '../store/stop-store.ts'
import type { Time } from '../time.ts'
import type { Events } from '../upstream/events.ts'
import { Turns } from '../upstream/in-turn.ts'
import type { JudgedResponse } from '../upstream/sign-and-send.ts'
import {
  type CancelProgress,
  type Failed,
  type LeftOrder,
  type OrderCanceller,
  toFailed,
} from './cancel-working-orders.ts'
import type { KillSwitch } from './kill-switch.ts'
import type { ClientOrders } from './send-cancel.ts'
import {
  exchangesOf,
  isOfClient,
  nameOf,
  type StopScope,
  StopWork,
  scopeOf,
  stopEntry,
} from './stop-work.ts'

/** How long a request that begins a stop waits for its end. */
const ANSWER_AFTER_MS = 20_000

interface StopsDeps {
  readonly workingOrders: ConstructorParameters<typeof StopWork>[0]
  readonly store: StopStore
  readonly clients: Pick<ClientStore, 'find'>
  readonly canceller: Pick<OrderCanceller, 'cancelAll'>
  readonly killSwitch: Pick<KillSwitch, 'stop' | 'resume'>
  readonly lanes: Readonly<
    Record<
      ExchangeCode,
      Pick<Lane<JudgedResponse>, 'dropClient' | 'endOrders' | 'snapshot' | 'list'>
    >
  >
  readonly events: Pick<Events, 'emit'>
  readonly audit: Pick<AuditStore, 'append'>
  readonly nowMs: () => number
  readonly time: Pick<Time, 'sleep'>
  readonly answerAfterMs?: number | undefined
}

interface StopOrder {
  readonly reason: string
  readonly cancelOrders: boolean
  /** Who stops, for the audit trail. */
  readonly author: Author
}

interface ResumeOrder {
  readonly reason?: string
  readonly author: Author
}

type NotOfClient = Parameters<typeof exchangesOf>[0]

/** A stop that cancels orders now. */
interface Running {
  readonly abort: AbortController
  /** Resolves when it is complete, or when it was ended. Never rejects. */
  readonly done: Promise<void>
  /** Resolves when only orders are left that an outage keeps open; they are tried for longer. */
  readonly left: Promise<void>
}

interface Watching {
  readonly signal: AbortSignal
  /** Called when an outage keeps the orders open that are left. */
  readonly onLeft: () => void
}

/**
 * Stops clients, exchanges and everything: first nothing new is sent, then what waits is dropped,
 * then the working orders are cancelled. Every step is stored, and a start completes what the
 * previous process began.
 */
export class Stops {
  readonly #deps: StopsDeps
  readonly #work: StopWork
  readonly #turns = new Turns()
  readonly #running = new Map<string, Running>()
  /** How many stops cancel orders at each exchange. */
  readonly #cancelling = new Map<ExchangeCode, number>()
  #fence: number | undefined
  #isClosing = false

  constructor(deps: StopsDeps) {
    this.#deps = deps
    this.#work = new StopWork(deps.workingOrders, deps.lanes)
  }

  /**
   * Continues the stops that the previous process did not complete.
   * @param fence the number under which this node is the owner; undefined where there is no group
   */
  async restore(fence?: number): Promise<void> {
    this.#fence = fence
    for (const row of await this.#deps.store.listIncomplete()) this.#run(scopeOf(row.scope), row)
  }

  async get(scope: StopScope): Promise<Stop | null> {
    const row = await this.#deps.store.find(nameOf(scope))
    return row === undefined ? null : this.#work.show(scope, row)
  }

  /** What a stop that cancels orders would do now. */
  async preview(scope: StopScope): Promise<StopPreview> {
    const client = isOfClient(scope) ? await this.#deps.clients.find(scope.clientRef) : undefined
    return this.#work.preview(scope, client?.clientId)
  }

  /**
   * Begins a stop, or joins the one that is in force; orders that it could not cancel are then
   * tried again. Resolves when it is complete, when an outage keeps the orders open that are left,
   * or after 20 s.
   * @throws StopNotKeptError, StoreUnwritableError
   * @throws NotOwnerError after a takeover: the next owner has to carry it out
   */
  async stop(scope: StopScope, order: StopOrder): Promise<Stop> {
    const name = nameOf(scope)
    const endTurn = await this.#turns.take(name)
    try {
      if (this.#running.has(name)) await this.#recordJoin(scope, order)
      else await this.#startOrJoin(scope, order)
    } finally {
      endTurn()
    }
    const { time, answerAfterMs = ANSWER_AFTER_MS } = this.#deps
    const isAnswered = new AbortController()
    const { signal } = isAnswered
    const running = this.#running.get(name)
    await Promise.race([
      ...[running?.done, running?.left],
      time.sleep(answerAfterMs, { signal, ref: false }).catch(() => undefined),
    ])
    isAnswered.abort()
    const stop = await this.get(scope)
    // Its client was deleted while it was stopped.
    if (stop === null) throw new ClientGoneError()
    return stop
  }

  /**
   * Ends a stop. What it has not cancelled yet stays as it is.
   * @throws StoreUnwritableError, NotOwnerError
   */
  async resume(scope: StopScope, order: ResumeOrder): Promise<Stop | null> {
    const name = nameOf(scope)
    const endTurn = await this.#turns.take(name)
    try {
      return await this.#resume(scope, name, order)
    } finally {
      endTurn()
    }
  }

  async #resume(scope: StopScope, name: string, order: ResumeOrder): Promise<Stop | null> {
    const { store, killSwitch, nowMs } = this.#deps
    const entry = await this.#entryOf(scope, 'resumed', order)
    const running = this.#running.get(name)
    running?.abort.abort()
    await running?.done
    for (const exchange of isOfClient(scope) ? [] : exchangesOf(scope))
      await killSwitch.resume(exchange, { ...entry, subject: exchange })
    const row = isOfClient(scope)
      ? await store.resume(name, nowMs(), scope.clientRef, entry, this.#fence)
      : await this.#endOf(scope)
    // When one exchange runs again, not everything is stopped; with everything, each of them runs.
    if (scope === 'everything') for (const exchange of EXCHANGES) await this.#endOf({ exchange })
    else if (!isOfClient(scope)) await this.#endOf('everything')
    return row === undefined ? null : this.get(scope)
  }

  async #endOf(scope: NotOfClient): Promise<StopRow | undefined> {
    const { store, nowMs } = this.#deps
    return store.resume(nameOf(scope), nowMs(), undefined, undefined, this.#fence)
  }

  /** Ends the work; the next start continues it. */
  async close(): Promise<void> {
    this.#isClosing = true
    for (const { abort } of this.#running.values()) abort.abort()
    await Promise.all([...this.#running.values()].map(({ done }) => done))
  }

  async #startOrJoin(scope: StopScope, order: StopOrder): Promise<void> {
    const known = await this.#deps.store.find(nameOf(scope))
    const isInForce = known !== undefined && known.resumedAtMs === null
    const row = isInForce
      ? await this.#beginAgain(scope, known, order)
      : await this.#begin(scope, order)
    if (row.completedAtMs === null) this.#run(scope, row)
  }

  /** Stops first: nothing new is sent from then on. Then drops what waits. */
  async #begin(scope: StopScope, order: StopOrder): Promise<StopRow> {
    const { store, lanes, nowMs } = this.#deps
    const { reason, cancelOrders, author } = order
    const stop = {
      ...{ scope: nameOf(scope), reason, cancelOrders },
      ...{ startedAtMs: nowMs(), startedBy: author.actor },
    }
    if (isOfClient(scope)) {
      const entry = await this.#entryOf(scope, 'stopped', order)
      const row = await store.begin(stop, scope.clientRef, entry, this.#fence)
      return this.#progress(row, {
        dropped: await this.#dropOrders(scope.clientRef, reason),
        inFlight: this.#work.sentOf(scope),
      })
    }
    const exchanges = exchangesOf(scope)
    const dropped = exchanges.reduce((sum, each) => sum + lanes[each].snapshot().queued, 0)
    await this.#stopLanes(scope, reason, order)
    const row = await store.begin(stop, undefined, undefined, this.#fence)
    return this.#progress(row, { dropped, inFlight: this.#work.sentOf(scope) })
  }

  /** A stop that is in force: its exchange may have been stopped with another reason since. */
  async #beginAgain(scope: StopScope, row: StopRow, order: StopOrder): Promise<StopRow> {
    if (isOfClient(scope)) await this.#recordJoin(scope, order)
    else await this.#stopLanes(scope, row.reason, order)
    if (row.completedAtMs === null) return row
    const isLeft = this.#work.clientsOf(scope).length > 0
    if (!order.cancelOrders || !isLeft) return row
    return this.#progress(row, { cancelOrders: true, completedAtMs: null, failed: [] }, false)
  }

  /** Stops all, also when one stop cannot be stored. @throws StopNotKeptError, NotOwnerError */
  async #stopLanes(scope: NotOfClient, reason: string, order: StopOrder): Promise<void> {
    const { killSwitch } = this.#deps
    const ends = await Promise.allSettled(
      exchangesOf(scope).map((exchange) =>
        killSwitch.stop(exchange, reason, stopEntry(scope, exchange, 'stopped', order)),
      ),
    )
    for (const end of ends) if (end.status === 'rejected') throw end.reason
  }

  /** The entry of a stop while one is in force. @throws StoreUnwritableError, NotOwnerError */
  async #recordJoin(scope: StopScope, order: StopOrder): Promise<void> {
    await this.#deps.audit.append(await this.#entryOf(scope, 'stopped', order), this.#fence)
  }

  async #entryOf(
    scope: StopScope,
    end: 'stopped' | 'resumed',
    order: StopOrder | ResumeOrder,
  ): Promise<NewAuditEntry> {
    if (scope === 'everything') return stopEntry(scope, scope, end, order)
    if ('exchange' in scope) return stopEntry(scope, scope.exchange, end, order)
    const client = await this.#deps.clients.find(scope.clientRef)
    return stopEntry(scope, client?.clientId ?? `${scope.clientRef}`, end, order)
  }

  async #progress(row: StopRow, changes: Partial<StopRow>, isNew = true): Promise<StopRow> {
    const { store, nowMs } = this.#deps
    // Without orders to cancel, a stop is complete at once.
    const completed = isNew && !row.cancelOrders ? { completedAtMs: nowMs() } : {}
    const all = { ...changes, ...completed }
    await store.update(row.scope, all, this.#fence)
    return { ...row, ...all }
  }

  /** The client's cancels stay in the queue. */
  async #dropOrders(clientRef: number, reason: string): Promise<number> {
    const { clients, lanes } = this.#deps
    const client = await clients.find(clientRef)
    if (client === undefined) return 0
    const error = new LimitError(refuseStopped(reason))
    return EXCHANGES.reduce(
      (count, exchange) => count + lanes[exchange].dropClient(client.clientId, error, 'order'),
      0,
    )
  }

  #run(scope: StopScope, row: StopRow): void {
    const abort = new AbortController()
    const left = Promise.withResolvers<void>()
    const done = this.#complete(scope, row, { signal: abort.signal, onLeft: left.resolve })
      .catch((error: unknown) => {
        // After a takeover the next owner completes it.
        if (error instanceof NotOwnerError) return
        this.#deps.events.emit('stopFailed', { scope: nameOf(scope), error })
      })
      .finally(() => this.#running.delete(row.scope))
    this.#running.set(row.scope, { abort, done, left: left.promise })
  }

  async #complete(scope: StopScope, row: StopRow, { signal, onLeft }: Watching): Promise<void> {
    const { store, nowMs } = this.#deps
    let { cancelled } = row
    const clients = this.#work.clientsOf(scope)
    // Of each client, the orders that are left after its last round.
    const lefts = new Map<number, Failed[]>()
    const late = new Set<number>()
    let ended = 0
    const show = (changes: Partial<StopRow>) =>
      // All of it is written again at the end; until then readers of the stop need it, and a
      // restart.
      store.update(row.scope, changes, this.#fence).catch(() => undefined)
    const onCancelled = (orders: readonly unknown[]) => {
      cancelled += orders.length
      void show({ cancelled })
    }
    const showLeft = (at: number, left: Failed[], isLate: boolean) => {
      if (isLate) late.add(at)
      // The next of the first rounds comes soon, unless the exchange cannot be reached.
      else if (!lefts.has(at) && !left.some(({ unreachable }) => unreachable)) return
      lefts.set(at, left)
      if (ended === clients.length) return
      const shown = show({ failed: [...lefts.values()].flat() })
      if (late.size === clients.length) void shown.then(onLeft)
    }
    const exchanges = isOfClient(scope) ? EXCHANGES : exchangesOf(scope)
    for (const exchange of exchanges) this.#letCancelsPass(exchange, 1)
    try {
      const work = clients.map(async ({ clientRef, exchange }, at) => {
        const shownAs = (isLate: boolean) => (orders: LeftOrder[]) =>
          showLeft(at, orders.map(toFailed), isLate)
        const progress = {
          ...{ onCancelled, signal, reason: row.reason },
          ...{ onRound: shownAs(false), onLeft: shownAs(true) },
        }
        const left = await this.#cancelAll({ clientRef, exchange }, progress)
        ended += 1
        showLeft(at, left, true)
        return left
      })
      const failed = (await Promise.all(work)).flat()
      if (this.#isClosing) return
      const end = { cancelled, failed, completedAtMs: nowMs() }
      await store.update(row.scope, end, this.#fence)
    } finally {
      for (const exchange of exchanges) this.#letCancelsPass(exchange, -1)
    }
  }

  /** @returns what is left */
  async #cancelAll(
    { clientRef, exchange }: Pick<ClientOrders, 'clientRef' | 'exchange'>,
    progress: CancelProgress,
  ): Promise<Failed[]> {
    const { clients, canceller } = this.#deps
    const client = await clients.find(clientRef)
    if (client === undefined) return []
    const of = { clientRef, clientId: client.clientId, exchange }
    return (await canceller.cancelAll(of, progress)).map(toFailed)
  }

  /** Cancels pass a stopped exchange as long as a stop cancels orders there. */
  #letCancelsPass(exchange: ExchangeCode, change: 1 | -1): void {
    const count = (this.#cancelling.get(exchange) ?? 0) + change
    this.#cancelling.set(exchange, count)
    this.#deps.lanes[exchange].endOrders(count > 0)
  }
}
