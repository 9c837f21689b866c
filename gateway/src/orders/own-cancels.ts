import { type ExchangeCode, OWN_CANCELS_MAX } from 'schema'
import { type CancelScope, cancelAllOf, isPerhapsReached } from '../exchanges/account-wide.ts'
import type { UpstreamCall, UpstreamResponse } from '../exchanges/exchange.ts'
import type { OrderKey } from '../exchanges/order-lookup/order-key.ts'
import { CallerGoneError } from '../lane/errors.ts'
import { NotOwnerError } from '../store/errors.ts'
import type { FactStore } from '../store/fact-store.ts'
import type { Time, Timer } from '../time.ts'
import type { Events } from '../upstream/events.ts'
import { Turns } from '../upstream/in-turn.ts'
import { JSON_TYPE } from '../upstream/responses.ts'
import { type LeftOrder, type OrderCanceller, toFailed } from './cancel-working-orders.ts'
import { CancelIncompleteError, TooManyCancelsError } from './errors.ts'
import type { OrderRequest } from './order-request.ts'
import {
  addPart,
  type CancelFilter,
  type Canceller,
  exchangesOf,
  isRunning,
  leftOf,
  markCancelled,
  newRun,
  notTried,
  type OwnCancelRun,
  onlyOf,
  type Part,
  resumedRun,
  toOwnCancel,
  toStored,
} from './own-cancel-run.ts'
import type { WorkingOrders } from './working-orders.ts'

type NotOwner = InstanceType<typeof NotOwnerError>

/** How many cancels of a client can be read, besides those that run. */
const ENDED_MAX = 20

/** How long a call of an exchange waits for the cancel that is made in its place. */
const ANSWER_AFTER_MS = 20_000

/** How often the progress is stored: one write has all runs. */
const PROGRESS_MS = 1_000

const REASON = 'The client cancels its own orders'

interface OwnCancelsDeps {
  readonly workingOrders: Pick<WorkingOrders, 'list' | 'requestsSent'>
  readonly canceller: Pick<OrderCanceller, 'cancelAll'>
  readonly events: Pick<Events, 'emit'>
  readonly facts: Pick<FactStore, 'get' | 'set'>
  readonly nowMs: () => number
  readonly time: Pick<Time, 'sleep' | 'setTimeout'>
  readonly answerAfterMs?: number | undefined
}

/** The fact with the runs that clients know of and that have not ended. */
const STORED_RUNS_FACT = 'own_cancels'

/**
 * Cancels working orders of clients for themselves, each order by its id: a client with the same
 * exchange key as others cannot use the exchange's own calls for that. Unlike a stop it refuses no
 * new orders. As with a stop, a start continues what the previous process began.
 */
export class OwnCancels {
  readonly #deps: OwnCancelsDeps
  /** By client, the oldest first. */
  readonly #runs = new Map<number, OwnCancelRun[]>()
  readonly #abort = new AbortController()
  readonly #turns = new Turns()
  #fence: number | undefined
  /** A write that waits for the one before it. */
  #nextWrite: Promise<NotOwner | undefined> | undefined
  /** Waits until what has been cancelled is stored. */
  #progress: Timer | undefined

  constructor(deps: OwnCancelsDeps) {
    this.#deps = deps
  }

  /**
   * Continues what the previous process did not complete. Call it once its orders are loaded.
   * @param fence the number under which this node is the owner; undefined where there is no group
   */
  async restore(fence?: number): Promise<void> {
    this.#fence = fence
    const stored = await this.#deps.facts.get(STORED_RUNS_FACT)
    this.#orReport(() => {
      const runs: readonly unknown[] = JSON.parse(stored ?? '[]')
      // One that cannot be read must not end those after it.
      for (const run of runs) this.#orReport(() => this.#resume(run))
    })
  }

  /**
   * Begins a cancel of what is working now, or adds that to the one of the same name that runs.
   * @throws TooManyCancelsError
   */
  start(client: Canceller, filter: CancelFilter): OwnCancelRun {
    const runs = this.#runs.get(client.clientRef) ?? []
    const running = runs.find((each) => each.filter.name === filter.name && isRunning(each))
    const run = running ?? newRun(client, filter, this.#deps.nowMs())
    if (running === undefined) {
      // Few cancels are of everything, and nothing must keep a client from one.
      const isOfAll = filter.symbol === null && filter.scope === undefined
      if (!isOfAll && runs.filter(isRunning).length >= OWN_CANCELS_MAX)
        throw new TooManyCancelsError(OWN_CANCELS_MAX)
      const ended = runs.filter((each) => !isRunning(each)).slice(1 - ENDED_MAX)
      this.#runs.set(client.clientRef, [...ended, ...runs.filter(isRunning), run])
    }
    const part = addPart(run, this.#deps.workingOrders)
    if (part === undefined) this.#endIfOver(run)
    else {
      if (run.isKept) void this.#store()
      void this.#cancel(run, part)
    }
    return run
  }

  /**
   * From here on a restart continues a run. A write that fails is reported.
   * @throws NotOwnerError after a takeover: the next owner would not know of the run
   */
  async keep(run: OwnCancelRun): Promise<void> {
    run.isKept = true
    if (!isRunning(run)) return
    const lost = await this.#store()
    if (lost !== undefined) throw lost
  }

  #resume(stored: unknown): void {
    const run = resumedRun(stored, this.#deps.workingOrders)
    const { clientRef } = run.client
    this.#runs.set(clientRef, [...(this.#runs.get(clientRef) ?? []), run])
    for (const part of run.parts) void this.#cancel(run, part)
  }

  #orReport(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#deps.events.emit('ownCancelFailed', { error })
    }
  }

  /**
   * Writes those that are to be continued. Resolves when a write has ended that began later.
   * @returns an error after a takeover: nothing was written
   */
  #store(): Promise<NotOwner | undefined> {
    this.#nextWrite ??= this.#write()
    return this.#nextWrite
  }

  async #write(): Promise<NotOwner | undefined> {
    const endTurn = await this.#turns.take(STORED_RUNS_FACT)
    this.#nextWrite = undefined
    this.#progress?.cancel()
    this.#progress = undefined
    try {
      const runs = [...this.#runs.values()].flat().filter((run) => run.isKept && isRunning(run))
      const text = JSON.stringify(runs.map(toStored))
      await this.#deps.facts.set(STORED_RUNS_FACT, text, [], this.#fence)
    } catch (error) {
      // The next owner continues the runs that it knows.
      if (error instanceof NotOwnerError) return error
      this.#deps.events.emit('ownCancelFailed', { error })
    } finally {
      endTurn()
    }
    return undefined
  }

  /** Writes what has been cancelled. */
  #storeSoon(): void {
    this.#progress ??= this.#deps.time.setTimeout(() => void this.#store(), PROGRESS_MS).unref()
  }

  /**
   * Whether the client has an order of which the gateway cannot tell if a cancel would reach it.
   */
  isUnclear({ clientRef }: Canceller, exchange: ExchangeCode, scope: CancelScope): boolean {
    const { workingOrders } = this.#deps
    const isPerhaps = (key: OrderKey) => isPerhapsReached(key, scope)
    const working = workingOrders.list(clientRef, exchange)
    return (
      working.some(({ key }) => isPerhaps(key)) ||
      workingOrders.requestsSent(clientRef, exchange, isPerhaps).length > 0
    )
  }

  /** Undefined when this process has none of this client with the id. */
  find(clientRef: number, id: string): OwnCancelRun | undefined {
    return this.#runs.get(clientRef)?.find((run) => run.id === id)
  }

  /** Resolves when it has ended, or after 20 s. @throws CallerGoneError */
  async wait({ done }: OwnCancelRun, signal?: AbortSignal): Promise<void> {
    const { time, answerAfterMs = ANSWER_AFTER_MS } = this.#deps
    const isOver = new AbortController()
    const signals = [isOver.signal, ...(signal === undefined ? [] : [signal])]
    const options = { signal: AbortSignal.any(signals), ref: false }
    // Rejects only when the wait is over.
    const timeout = time.sleep(answerAfterMs, options).catch(() => undefined)
    await Promise.race([done, timeout])
    isOver.abort()
    if (signal?.aborted === true) throw new CallerGoneError()
  }

  /** Ends the work; the next start continues it. */
  async close(): Promise<void> {
    this.#abort.abort()
    await Promise.all([...this.#runs.values()].flat().map(({ done }) => done))
    if (this.#progress !== undefined) void this.#store()
    await this.#nextWrite
    const endTurn = await this.#turns.take(STORED_RUNS_FACT)
    endTurn()
  }

  /** Never rejects. */
  async #cancel(run: OwnCancelRun, part: Part): Promise<void> {
    const cancels = exchangesOf(run).map((exchange) =>
      this.#cancelAt(exchange, run, part).catch((error: unknown) => {
        const { clientRef } = run.client
        this.#deps.events.emit('ownCancelFailed', { clientRef, error })
        part.left.set(exchange, notTried(exchange, run, part, this.#deps.workingOrders))
      }),
    )
    await Promise.all(cancels)
    part.isOver = true
    this.#endIfOver(run)
  }

  async #cancelAt(exchange: ExchangeCode, run: OwnCancelRun, part: Part): Promise<void> {
    const only = onlyOf(run, part)
    const onLeft = (left: LeftOrder[]) => void part.left.set(exchange, left)
    const left = await this.#deps.canceller.cancelAll(
      { ...run.client, exchange, only },
      {
        ...{ reason: REASON, signal: this.#abort.signal, onLeft },
        onCancelled: (orders) => {
          markCancelled(run, exchange, orders)
          if (run.isKept) this.#storeSoon()
        },
      },
    )
    onLeft(left)
  }

  #endIfOver(run: OwnCancelRun): void {
    if (run.parts.some(({ isOver }) => !isOver)) return
    // What the end of the process ended is continued by the next one.
    if (!this.#abort.signal.aborted) {
      run.completedAtMs ??= this.#deps.nowMs()
      if (run.isKept) void this.#store()
    }
    run.end()
  }
}

/**
 * Does what a client means by an exchange's own cancel of everything where other clients have the
 * same key: cancels the client's orders that the call would reach, each by its id.
 * @param nowMs exchange time
 * @returns the response that the exchange would give; undefined for any other call, and for one
 * that does not say clearly what it cancels, or of whose orders the gateway does not know enough:
 * then nothing was done
 * @throws CancelIncompleteError when some may still be open, and the response could not say so
 */
export async function cancelInstead(
  ownCancels: Pick<OwnCancels, 'start' | 'wait' | 'keep' | 'isUnclear'>,
  { clientRef, clientId, exchange }: OrderRequest,
  call: UpstreamCall,
  { nowMs, signal }: { readonly nowMs: () => number; readonly signal?: AbortSignal | undefined },
): Promise<UpstreamResponse | undefined> {
  const all = cancelAllOf(call)
  if (all === undefined) return undefined
  const { name, scope, namesFailed } = all
  const client = { clientRef, clientId }
  if (ownCancels.isUnclear(client, exchange, scope)) return undefined
  const run = ownCancels.start(client, { name, symbol: null, exchange, scope })
  await ownCancels.wait(run, signal)
  // In the account of the keys that the call is signed with, the exchange would not reach these.
  const left = leftOf(run).filter(({ isElsewhere }) => !isElsewhere)
  const failed = left.map(toFailed)
  const isDone = run.completedAtMs !== null
  if (!isDone || (failed.length > 0 && !namesFailed)) {
    const count = isDone ? failed.length : run.orders.size - run.cancelled.size
    // The caller gets the address of the status: it must be there after a restart too.
    await ownCancels.keep(run)
    throw new CancelIncompleteError(count, toOwnCancel(run).location)
  }
  const cancelled = [...run.cancelled].flatMap((id) => run.orders.get(id) ?? [])
  const body = Buffer.from(JSON.stringify(all.responseFor({ cancelled, failed }, nowMs())))
  return { status: 200, headers: { 'content-type': JSON_TYPE }, body, upstreamMs: 0 }
}
