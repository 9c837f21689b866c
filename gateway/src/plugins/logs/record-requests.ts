import type { FastifyRequest, onRequestHookHandler, onSendHookHandler } from 'fastify'
import type { Endpoint, ExchangeCode } from 'schema'
import { PerMinute, REQUESTS_EXCEEDED } from '../../http/client-budget.ts'
import { pathOf } from '../../http/errors.ts'
import type { Lane } from '../../lane/lane-types.ts'
import type { LogStore, NewLogRow } from '../../store/log-store.ts'
import type { Time, Timer } from '../../time.ts'
import { createTimings, type Timings } from '../../upstream/request-context.ts'
import type { JudgedResponse } from '../../upstream/sign-and-send.ts'

/**
 * A flood of requests without a client costs at most 44,640 rows a day, about 10 MB. The limit also
 * applies to a bot whose token has expired.
 */
const STRANGER_ROWS_PER_MINUTE = 30
/** A body with many wrong fields must not make a row as long as it. */
const MESSAGE_LENGTH_MAX = 500

declare module 'fastify' {
  interface FastifyRequest {
    /** Where the time of a proxied request goes; null on every other route. */
    timings: RecordedTimings | null
  }
}

interface RecordedTimings extends Timings {
  readonly arrivedAtMs: number
  /** Monotonic clock, ms. */
  readonly startedAt: number
  /** An order's response is sent when this has resolved: the journal has its end. */
  ended?: Promise<void>
}

interface RecordDeps {
  readonly log: Pick<LogStore, 'append'>
  readonly lanes: Readonly<Record<ExchangeCode, Pick<Lane<JudgedResponse>, 'quota'>>>
  readonly ratePerSecond: number
  readonly rowLimit: Pick<RowLimit, 'admits' | 'drop'>
  /**
   * How many of a client's requests that the gateway refused itself get a row per minute, and as
   * many of those that it served itself; 0: all.
   */
  readonly refusalRowsPerMinute: number
  /** Whether the disk is full and the gateway writes into its reserve. */
  readonly isOnReserve: () => boolean
  readonly time: Pick<Time, 'now' | 'monotonic'>
}

/**
 * The hooks of a proxied route: the timings start when the request arrives, and the row is
 * committed before the response leaves (ADR 0001). Of requests without a client, and of a client's
 * requests that the gateway refused or served itself, a limited number get a row. On a full disk
 * only calls that change orders get one: the reserve must not be used up by reads and refusals.
 */
export function recordRequests(endpoint: Endpoint, deps: RecordDeps) {
  const { log, lanes, ratePerSecond, time } = deps
  if (endpoint.proxy === undefined) throw new Error(`${endpoint.id} goes to no exchange`)
  const { exchange } = endpoint.proxy
  const lane = lanes[exchange]

  const start: onRequestHookHandler = (request, _reply, done) => {
    request.timings = {
      ...createTimings(),
      arrivedAtMs: time.now(),
      startedAt: time.monotonic(),
    }
    done()
  }

  const record: onSendHookHandler<unknown> = (request, reply, _payload, done) => {
    const { timings } = request
    if (timings === null) return done()
    const responseMs = time.monotonic() - timings.startedAt
    const queueMs = timings.queueMs ?? 0
    const upstreamMs = timings.upstreamMs ?? 0
    // RFC 9111, 5.1: it says that the response was kept.
    if (timings.ageMs !== null) reply.header('age', Math.floor(timings.ageMs / 1000))
    reply.headers({
      'x-queue-wait-ms': Math.round(queueMs),
      'server-timing': [
        `queue;dur=${tenth(queueMs)}`,
        `upstream;dur=${tenth(upstreamMs)}`,
        `gateway;dur=${tenth(Math.max(0, responseMs - queueMs - upstreamMs))}`,
      ].join(', '),
      'ratelimit-policy': `"${exchange}";q=${Math.ceil(ratePerSecond)};w=1`,
      ratelimit: `"${exchange}";${quotaText(lane.quota(), reply.getHeader('retry-after'))}`,
    })
    const row: NewLogRow = {
      atMs: timings.arrivedAtMs,
      method: request.method,
      endpoint: pathOf(request.url),
      statusCode: reply.statusCode,
      responseMs: Math.round(responseMs),
      queueMs,
      upstreamMs: timings.upstreamMs,
      ...clientOf(request),
      requestId: request.id,
      exchange,
      code: request.errorCode,
      shared: timings.shared,
      note: timings.note,
      message: request.errorMessage?.slice(0, MESSAGE_LENGTH_MAX) ?? null,
    }
    // The response is sent even without its row: a bot that does not get its order's id would send
    // the order again.
    const append = () =>
      log
        .append(row)
        .catch((err: unknown) =>
          request.log.error({ err, row }, 'the log row could not be written'),
        )
    const isOrder =
      reply.getHeader('idempotency-replayed') === undefined &&
      (timings.ended !== undefined || reply.statusCode === 202)
    const appended = getsRow(row, isOrder, deps) ? append() : undefined
    if (appended === undefined && timings.ended === undefined) return done()
    Promise.all([appended, timings.ended]).then(() => done(), done)
  }

  return { start, record }
}

function getsRow(
  row: NewLogRow,
  isOrder: boolean,
  {
    rowLimit,
    refusalRowsPerMinute,
    isOnReserve,
  }: Pick<RecordDeps, 'rowLimit' | 'refusalRowsPerMinute' | 'isOnReserve'>,
): boolean {
  if (isOnReserve() && !(isOrder && row.upstreamMs !== null)) {
    rowLimit.drop(row)
    return false
  }
  if (row.clientId === null) return rowLimit.admits(row, STRANGER_ROWS_PER_MINUTE)
  if (row.code === REQUESTS_EXCEEDED) {
    rowLimit.drop(row)
    return false
  }
  // What reached an exchange is bounded by the pace, and an order by its row in the journal.
  if (row.upstreamMs !== null || (isOrder && row.statusCode < 400)) return true
  return rowLimit.admits(row, refusalRowsPerMinute)
}

function clientOf({ caller }: FastifyRequest) {
  return caller?.kind === 'client'
    ? { clientRef: caller.clientRef, clientId: caller.clientId }
    : { clientRef: null, clientId: null }
}

/**
 * What RateLimit says of the quota: never another time than the Retry-After of the same response,
 * which takes precedence (draft-ietf-httpapi-ratelimit-headers-10).
 */
function quotaText(
  { remaining, resetMs }: ReturnType<Lane<JudgedResponse>['quota']>,
  retryAfter: unknown,
): string {
  if (retryAfter !== undefined && /^\d{1,9}$/.test(`${retryAfter}`)) return `r=0;t=${retryAfter}`
  return `r=${remaining};t=${Math.ceil(resetMs / 1000)}`
}

const tenth = (ms: number) => Math.round(ms * 10) / 10

interface RowLimitOptions {
  readonly time: Pick<Time, 'now' | 'setTimeout'>
  /**
   * Called once for each client after a minute in which requests got no row.
   * @param last the row that the last of them would have had
   * @param dropped how many they were
   */
  readonly onDropped: (last: NewLogRow, dropped: number) => void
}

const MINUTE_MS = 60_000

/**
 * Limits how many rows of one kind a client, or all senders without a client together, write to the
 * request log per minute: a flood must neither fill the disk nor push other rows out of sight.
 */
export function createRowLimit({ time, onDropped }: RowLimitOptions) {
  const rows = new PerMinute(() => time.now())
  const dropped = new Map<string, { last: NewLogRow; count: number }>()
  let timer: Timer | undefined

  function report(): void {
    timer?.cancel()
    timer = undefined
    const ended = [...dropped.values()]
    dropped.clear()
    for (const { last, count } of ended) onDropped(last, count)
  }

  function drop(row: NewLogRow): void {
    if (rows.begin()) report()
    const count = dropped.get(keyOf(row))?.count ?? 0
    dropped.set(keyOf(row), { last: row, count: count + 1 })
    // Reports the end of a flood as well.
    timer ??= time.setTimeout(report, MINUTE_MS).unref()
  }

  return {
    /**
     * Whether another row may be written. It is counted in either case.
     * @param perMinute 0: no limit
     */
    admits(row: NewLogRow, perMinute: number): boolean {
      if (rows.begin()) report()
      if (perMinute === 0 || rows.add(keyOf(row)) <= perMinute) return true
      drop(row)
      return false
    },

    /** Counts a request that gets no row in any case. */
    drop,

    /** Reports what is still unreported. */
    close: report,
  }
}
type RowLimit = ReturnType<typeof createRowLimit>

/**
 * Whether the gateway served the request itself: with a kept response, with its clock, or, to a
 * retry, with the response to the first request.
 */
export function isServed({ statusCode, upstreamMs }: NewLogRow): boolean {
  return statusCode < 400 && upstreamMs === null
}

/**
 * Senders without a client count together. A client id is never empty. What the gateway served
 * counts apart, so that it takes no row of a refusal.
 */
const keyOf = (row: NewLogRow) => `${row.clientId ?? ''}${isServed(row) ? ' served' : ''}`
