import { createHash } from 'node:crypto'
import { EXCHANGE_NAMES, type ExchangeCode } from 'schema'
import { datedOrderKey } from '../exchanges/order-lookup/order-key.ts'
import { CallerGoneError, notSent } from '../lane/errors.ts'
import type { FinalState, JournalRow, JournalStore } from '../store/journal-store.ts'
import type { StoredAnswer } from '../upstream/stored-response.ts'
import { type Course, type End, endOf, toldOf } from './course.ts'
import { IdempotencyKeyReusedError, OutcomeUnknownError, RequestWithdrawnError } from './errors.ts'
import type { Reconciler } from './reconcile.ts'
import { createSettler } from './retrying-writer.ts'
import type { Ticket } from './ticket.ts'

/** A request that trades. */
export interface TradeRequest {
  /** The request's id. */
  readonly id: string
  readonly clientRef: number
  readonly clientId: string
  readonly exchange: ExchangeCode
  readonly method: string
  readonly endpoint: string
  /** Tells payloads apart. */
  readonly fingerprint: string
  readonly idempotencyKey: string | null
  /** Absent: the caller does not wait, nothing calls the order off. */
  readonly hangUp?: AbortSignal
}

/** Does the work of a request: sends it with the ticket, and says what to answer. */
export type Work = (ticket: Ticket, signal: AbortSignal) => Promise<StoredAnswer>

export interface Placed {
  /** The request that carries the order out: this one, or the first with the same key. */
  readonly id: string
  /** The answer is that of an earlier request with the same key. */
  readonly isReplay: boolean
  /** Rejects with CallerGoneError, and with what the work threw. */
  readonly answer: Promise<StoredAnswer>
}

export interface PlaceOnceDeps {
  readonly journal: JournalStore
  readonly reconciler: Pick<Reconciler, 'findOut' | 'watch'>
  /** Nothing new is sent while its log row could not be kept. @throws StoreUnwritableError */
  readonly requireLog: () => Promise<void>
  /** An error as the caller sees it. */
  readonly toAnswer: (error: unknown, requestId: string) => StoredAnswer
  readonly onJournalFailure: (error: unknown, id: string) => void
  /** How an order ended, or that nobody knows yet. It must not throw. */
  readonly onEnd?: (request: TradeRequest, state: FinalState | 'unknown') => void
  readonly nowMs: () => number
  /** The exchange's time, whole Unix ms. */
  readonly exchangeNowMs: (exchange: ExchangeCode) => number
}

interface Running {
  readonly course: Course
  readonly settled: Promise<StoredAnswer>
  callers: number
  readonly abandon: AbortController
}

/**
 * Places an order once: it is in the journal before it is sent and its answer before it is told, and whoever comes
 * with the same idempotency key gets the first one's answer.
 */
export function createPlaceOnce(deps: PlaceOnceDeps) {
  const { journal, reconciler, requireLog, toAnswer, onJournalFailure } = deps
  const { onEnd, nowMs, exchangeNowMs } = deps
  const settler = createSettler({ journal, onFailure: onJournalFailure })
  const byKey = new Map<string, Running>()
  const byId = new Map<string, Running>()

  /** @throws what the caller is told, after it was written down */
  async function carryOut(course: Course, work: Work, signal: AbortSignal) {
    try {
      const answer = await work(ticketOf(course), signal)
      await settle(course, answer, endOf(course))
      return answer
    } catch (error) {
      const wasWithdrawn = signal.reason instanceof RequestWithdrawnError && !course.isSent
      const told = wasWithdrawn ? signal.reason : toldOf(error, course)
      await settleFailure(course, told)
      throw told
    }
  }

  function ticketOf(course: Course): Ticket {
    const { id, exchange } = course.request
    const ownId = clientOrderIdOf(course.request)
    let firstSentAtMs: number | undefined
    return {
      clientOrderId: ownId,
      async markSent(trace, keysId) {
        const clientOrderId = trace?.clientOrderId ?? null
        const sentAtMs = exchangeNowMs(exchange)
        firstSentAtMs = Math.min(firstSentAtMs ?? sentAtMs, sentAtMs)
        const dated = trace === undefined ? undefined : datedOrderKey(trace, ownId, firstSentAtMs)
        await journal.markSent(id, {
          trace: dated === undefined ? null : JSON.stringify(dated),
          clientOrderId,
          keysRef: keysId,
          sentAtMs,
        })
        course.isSent = true
        course.trace = trace
      },
      async markNotTaken() {
        course.isSent = false
        // Written down or not: nothing stands, and the look-up after a crash says so too.
        await journal.markQueued(id).catch((cause: unknown) => onJournalFailure(cause, id))
      },
      noteRefusal(refusalClass) {
        course.refusal = refusalClass
      },
      async findOut() {
        const found = await reconciler.findOut(id)
        course.wasFound = found !== undefined
        return found
      },
    }
  }

  async function settleFailure(course: Course, told: unknown): Promise<void> {
    const { id } = course.request
    if (!(told instanceof OutcomeUnknownError)) {
      await settle(course, toAnswer(told, id), endOf(course, told))
      return
    }
    await journal.markUnknown(id).catch((cause: unknown) => onJournalFailure(cause, id))
    onEnd?.(course.request, 'unknown')
    reconciler.watch(id)
  }

  async function settle({ request }: Course, answer: StoredAnswer, end: End): Promise<void> {
    const { headers: _notKept, ...kept } = answer
    await settler.settle(request.id, { ...kept, ...end, settledAtMs: nowMs() })
    onEnd?.(request, end.state)
  }

  function start(request: TradeRequest, work: Work): Running {
    const abandon = new AbortController()
    const course: Course = { request, isSent: false, wasFound: false }
    const settled = carryOut(course, work, abandon.signal)
    const running = { course, settled, callers: 0, abandon }
    byId.set(request.id, running)
    const name = keyName(request)
    if (name !== undefined) byKey.set(name, running)
    const forget = () => {
      byId.delete(request.id)
      if (name !== undefined && byKey.get(name) === running) byKey.delete(name)
    }
    settled.then(forget, forget)
    return running
  }

  /** Waits for a running order with its other callers; when the last of them hangs up it is called off. */
  async function join(running: Running, hangUp: AbortSignal | undefined): Promise<StoredAnswer> {
    running.callers += 1
    if (hangUp === undefined) return running.settled
    const leave = () => {
      running.callers -= 1
      if (running.callers === 0) running.abandon.abort()
    }
    const { promise: gone, reject } = Promise.withResolvers<never>()
    // A caller that comes second leaves alone; the last one leaves with the order's own end.
    const onHangUp = () => {
      leave()
      if (running.callers > 0) reject(new CallerGoneError())
    }
    if (hangUp.aborted) onHangUp()
    else hangUp.addEventListener('abort', onHangUp, { once: true })
    try {
      return await Promise.race([running.settled, gone])
    } finally {
      hangUp.removeEventListener('abort', onHangUp)
    }
  }

  function checkFingerprint(first: Pick<JournalRow, 'fingerprint'>, request: TradeRequest): void {
    if (first.fingerprint !== request.fingerprint) throw new IdempotencyKeyReusedError()
  }

  /** What is known of an order with the same key that is not running in this process. */
  function replayed(row: JournalRow) {
    const { id, exchange, statusCode, contentType, body, clientOrderId } = row
    if (statusCode !== null && contentType !== null && body !== null)
      return { statusCode, contentType, body }
    const isLost = row.state === 'unknown' && row.trace === null
    const why = isLost ? 'its response was lost' : 'the gateway is still looking it up'
    const trace = isLost ? undefined : { clientOrderId: clientOrderId ?? undefined }
    return toAnswer(new OutcomeUnknownError(EXCHANGE_NAMES[exchange], why, trace), id)
  }

  function joined(running: Running, request: TradeRequest): Placed {
    const first = running.course.request
    checkFingerprint(first, request)
    return { id: first.id, isReplay: true, answer: join(running, request.hangUp) }
  }

  /** The order that holds the key and runs. One that all callers left is waited for: its end decides. */
  async function runningFor(request: TradeRequest): Promise<Running | undefined> {
    const name = keyName(request)
    const running = name === undefined ? undefined : byKey.get(name)
    if (running?.abandon.signal.aborted !== true) return running
    await Promise.allSettled([running.settled])
    return undefined
  }

  /** The order that holds the key already, in the journal; undefined when this one is in it now. */
  async function admit(request: TradeRequest): Promise<JournalRow | undefined> {
    const first = await enter(request)
    if (first === undefined || !settler.isOwed(first.id)) return first
    const owed = await settler.retry(first.id)
    return owed === undefined ? enter(request) : { ...first, ...owed }
  }

  async function enter({ hangUp, ...row }: TradeRequest): Promise<JournalRow | undefined> {
    // What is known of the first one is told also while nothing can be written.
    const first = await firstWithKey(row)
    if (first !== undefined) return first
    try {
      await requireLog()
      return await journal.admit({ ...row, createdAtMs: nowMs() })
    } catch (cause) {
      throw cause instanceof Error ? notSent(cause) : cause
    }
  }

  const firstWithKey = async ({
    clientRef,
    idempotencyKey,
  }: Pick<JournalRow, 'clientRef' | 'idempotencyKey'>) =>
    idempotencyKey === null ? undefined : journal.findByKey(clientRef, idempotencyKey)

  return {
    /**
     * Resolves when the order is in the journal, or found there.
     * @throws IdempotencyKeyReusedError, StoreUnwritableError: nothing was sent
     */
    async place(request: TradeRequest, work: Work): Promise<Placed> {
      const running = await runningFor(request)
      if (running !== undefined) return joined(running, request)
      const first = await admit(request)
      if (first === undefined) {
        const started = start(request, work)
        return { id: request.id, isReplay: false, answer: join(started, request.hangUp) }
      }
      // It may have started between the look at the map and the look at the journal.
      const started = byId.get(first.id)
      if (started !== undefined) return joined(started, request)
      checkFingerprint(first, request)
      return { id: first.id, isReplay: true, answer: Promise.resolve(replayed(first)) }
    },

    /** Calls an order off that was not sent. False when it was sent, or has ended. */
    async withdraw(id: string): Promise<boolean> {
      const running = byId.get(id)
      if (running === undefined || running.course.isSent) return false
      running.abandon.abort(new RequestWithdrawnError())
      const end = await running.settled.catch((error: unknown) => error)
      return end instanceof RequestWithdrawnError
    },

    /** Resolves when every order that runs has ended and is written down, as far as the disk allows. */
    async idle(): Promise<void> {
      while (byId.size > 0)
        await Promise.allSettled([...byId.values()].map(({ settled }) => settled))
      await settler.close()
    },
  }
}
export type PlaceOnce = ReturnType<typeof createPlaceOnce>

function keyName({ clientRef, idempotencyKey }: TradeRequest): string | undefined {
  return idempotencyKey === null ? undefined : `${clientRef} ${idempotencyKey}`
}

/**
 * 32 characters that every exchange takes. The same for a retry with the same key, so that an exchange which
 * knows duplicates refuses the second one.
 */
function clientOrderIdOf({ clientRef, idempotencyKey, id }: TradeRequest): string {
  const seed = idempotencyKey === null ? id : `${clientRef} ${idempotencyKey}`
  return `sl-${createHash('sha256').update(seed).digest('base64url').slice(0, 24)}`
}
