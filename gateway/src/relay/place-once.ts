import { createHash } from 'node:crypto'
import type { ExchangeCode } from 'schema'
import { CallerGoneError } from '../lane/errors.ts'
import type { FinalState, JournalRow, JournalStore } from '../store/journal-store.ts'
import type { StoredAnswer } from './answer.ts'
import { IdempotencyKeyReusedError, OutcomeUnknownError, RequestWithdrawnError } from './errors.ts'
import type { Reconciler } from './reconciler.ts'
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
  readonly answer: StoredAnswer
  /** The answer is that of an earlier request with the same key. */
  readonly isReplay: boolean
}

export interface PlaceOnceDeps {
  readonly journal: JournalStore
  readonly reconciler: Pick<Reconciler, 'findOut' | 'watch'>
  /** An error as the caller sees it. */
  readonly toAnswer: (error: unknown, requestId: string) => StoredAnswer
  readonly onJournalFailure: (error: unknown, id: string) => void
  readonly nowMs: () => number
}

interface Running {
  readonly fingerprint: string
  readonly settled: Promise<StoredAnswer>
  callers: number
  readonly abandon: AbortController
}

/**
 * Places an order once: it is in the journal before it is sent and its answer before it is told, and whoever comes
 * with the same idempotency key gets the first one's answer.
 */
export function createPlaceOnce(deps: PlaceOnceDeps) {
  const { journal, reconciler, toAnswer, onJournalFailure, nowMs } = deps
  const byKey = new Map<string, Running>()
  const byId = new Map<string, Running>()

  /** @throws what the work threw, after it was written down */
  async function carryOut(request: TradeRequest, work: Work, signal: AbortSignal) {
    let isSent = false
    let wasFound = false
    const ticket: Ticket = {
      clientOrderId: clientOrderIdOf(request),
      async markSent(trace) {
        await journal.markSent(request.id, {
          trace: trace === undefined ? null : JSON.stringify(trace),
          clientOrderId: trace?.clientOrderId ?? null,
          sentAtMs: nowMs(),
        })
        isSent = true
      },
      async findOut() {
        const found = await reconciler.findOut(request.id)
        wasFound = found !== undefined
        return found
      },
    }
    try {
      const answer = await work(ticket, signal)
      await settle(request.id, answer, {
        state: wasFound ? 'resolved' : 'answered',
        releasesKey: false,
      })
      return answer
    } catch (error) {
      const told = signal.reason instanceof RequestWithdrawnError && !isSent ? signal.reason : error
      await settleFailure(request.id, told, isSent)
      throw told
    }
  }

  async function settleFailure(id: string, error: unknown, isSent: boolean): Promise<void> {
    if (error instanceof OutcomeUnknownError) {
      await journal.markUnknown(id).catch((cause: unknown) => onJournalFailure(cause, id))
      reconciler.watch(id)
      return
    }
    // Refused by the exchange, or never on its way: neither was carried out.
    const wasRefused = isSent && !isProvenNotTaken(error)
    await settle(id, toAnswer(error, id), {
      state: wasRefused ? 'refused' : 'dropped',
      releasesKey: !wasRefused,
    })
  }

  /** What happened is told even when it cannot be written down: the next start looks the order up. */
  async function settle(
    id: string,
    answer: StoredAnswer,
    end: { state: FinalState; releasesKey: boolean },
  ): Promise<void> {
    await journal
      .settle(id, { ...answer, ...end, settledAtMs: nowMs() })
      .catch((cause: unknown) => onJournalFailure(cause, id))
  }

  function start(request: TradeRequest, work: Work): Running {
    const abandon = new AbortController()
    const settled = carryOut(request, work, abandon.signal)
    const running = { fingerprint: request.fingerprint, settled, callers: 0, abandon }
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
  function replay(first: JournalRow): Placed {
    const { statusCode, contentType, body } = first
    if (statusCode === null || contentType === null || body === null) {
      const unknown = new OutcomeUnknownError(
        first.exchange,
        'the gateway is still asking',
        first.clientOrderId ?? undefined,
      )
      return { answer: toAnswer(unknown, first.id), isReplay: true }
    }
    return { answer: { statusCode, contentType, body }, isReplay: true }
  }

  return {
    /**
     * @throws IdempotencyKeyReusedError, CallerGoneError, StoreUnwritableError (nothing was sent), and what the
     * work throws
     */
    async place(request: TradeRequest, work: Work): Promise<Placed> {
      const name = keyName(request)
      const running = name === undefined ? undefined : byKey.get(name)
      if (running !== undefined) {
        checkFingerprint(running, request)
        return { answer: await join(running, request.hangUp), isReplay: true }
      }
      const first = await journal.admit({
        id: request.id,
        clientRef: request.clientRef,
        clientId: request.clientId,
        exchange: request.exchange,
        method: request.method,
        endpoint: request.endpoint,
        fingerprint: request.fingerprint,
        idempotencyKey: request.idempotencyKey,
        createdAtMs: nowMs(),
      })
      if (first !== undefined) {
        checkFingerprint(first, request)
        // It may have started between the look at the map and the look at the journal.
        const started = name === undefined ? undefined : byKey.get(name)
        if (started === undefined) return replay(first)
        return { answer: await join(started, request.hangUp), isReplay: true }
      }
      return { answer: await join(start(request, work), request.hangUp), isReplay: false }
    },

    /** Calls an order off that was not sent. False when it was sent, or has ended. */
    async withdraw(id: string): Promise<boolean> {
      const running = byId.get(id)
      if (running === undefined) return false
      running.abandon.abort(new RequestWithdrawnError())
      const end = await running.settled.catch((error: unknown) => error)
      return end instanceof RequestWithdrawnError
    },

    /** Resolves when every order that runs has ended and is written down. */
    async idle(): Promise<void> {
      while (byId.size > 0)
        await Promise.allSettled([...byId.values()].map(({ settled }) => settled))
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

/** True when nothing was carried out and the same request may be tried again. */
function isProvenNotTaken(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if ('sent' in error && error.sent === false) return true
  return 'code' in error && RETRYABLE_REFUSALS.has(String(error.code))
}

/** Refusals of the moment: the exchange did nothing, and a later try may go through. */
const RETRYABLE_REFUSALS: ReadonlySet<string> = new Set([
  'EXCHANGE_RATE_LIMITED',
  'EXCHANGE_MAINTENANCE',
  'EXCHANGE_TIME_REFUSED',
])
