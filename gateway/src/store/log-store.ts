import type { StepsOptions } from './in-steps.ts'
import type { JournalRow } from './journal-store.ts'
import type { Tables } from './tables.ts'

export interface LogSummary {
  total: number
  /** Responses with a status of 200 to 299. */
  success: number
  /** Responses with a status of 400 and above. */
  failed: number
  /** Per cent, 0 to 100, not rounded; 0 when there are no requests. */
  successRate: number
  /** Likewise. */
  errorRate: number
  /** Milliseconds, not rounded; 0 when there are no requests. */
  avgResponseMs: number
}

/** A row of the request log. */
export type LogRow = Tables['requestLogs']['$inferSelect']

export type NewLogRow = Omit<LogRow, 'id'>

/** Whether the last write to the database succeeded, and if not, why. */
export type Writable = { ok: true } | { ok: false; error: Error }

/** A filter of the log. An absent field does not restrict the result. */
export interface LogFilter {
  /** Rows at or after this time. */
  sinceMs: number
  /** Rows before this time. */
  untilMs?: number | undefined
  /**
   * Part of the endpoint, the client id, the error code or the note, or the beginning of a request
   * id. ASCII letters match in upper and lower case; no character is special.
   */
  search?: string | undefined
  /** 200 to 299, or 400 and above. */
  status?: 'success' | 'error' | undefined
  /** One status. */
  code?: number | undefined
  method?: string | undefined
  /** The whole path. */
  endpoint?: string | undefined
  clientId?: string | undefined
  /** Rows of requests that the gateway refused itself: without them, or these alone. */
  refused?: 'hide' | 'only' | undefined
}

export interface HistogramRequest extends LogFilter {
  readonly untilMs: number
  /** A whole number of minutes. */
  readonly stepMs: number
}

/** What was recorded within one step. */
export interface HistogramStep {
  readonly atMs: number
  readonly success: number
  readonly failed: number
  /** How many of `failed` the gateway refused itself. */
  readonly refused: number
  readonly other: number
  /** Null when there are no requests, or when they are not known of those that match. */
  readonly avgResponseMs: number | null
  readonly avgQueueMs: number | null
  /** Of the requests that were sent to an exchange. */
  readonly avgUpstreamMs: number | null
}

export interface Histogram {
  /** False when too many rows match to count them: the steps then count all requests. */
  readonly isFiltered: boolean
  /** Oldest first. A step without requests is missing. */
  readonly steps: readonly HistogramStep[]
}

export interface LogPage extends LogFilter {
  /** The number of rows, at most. */
  limit: number
  /** Rows that follow the one with this id in the list: the next page. */
  beforeId?: number | undefined
  /** Rows that were committed after the one with this id, whatever their time: the new rows. */
  afterId?: number | undefined
  /** The row with this id alone, whatever else is asked for. */
  id?: number | undefined
}

/** What lists of the log show of a request that is an order, a change or a cancel. */
export type LoggedOrder = Pick<JournalRow, 'id' | 'symbol' | 'side' | 'kind' | 'quantity' | 'price'>

/** The reads of the log that take long: in steps that leave the event loop free. */
export interface LogReads {
  /** A page of rows, newest first. */
  page(page: LogPage, signal?: AbortSignal): Promise<LogRow[]>

  /** All rows that a filter matches, newest first, in batches. */
  all(filter: LogFilter, signal?: AbortSignal): AsyncGenerator<LogRow[], void>

  /** How many requests there were over time. */
  histogram(request: HistogramRequest, signal?: AbortSignal): Promise<Histogram>

  /** What the orders among these requests ask for: one read of the journal. */
  orders(requestIds: readonly string[]): Promise<LoggedOrder[]>

  /** How many rows the filter matches; `max` when there are as many or more. */
  count(filter: LogFilter, max?: number, signal?: AbortSignal): Promise<number>
}

/** What a thread needs to read the log with a connection of its own. */
export interface LogThread {
  /** Of the database file, for `openLogReads`. */
  readonly path: string
  /** Makes the error of a request from one of SQLite's in that thread, and reports damage. */
  readonly toReadError: (message: string, code: string) => unknown
}

/** The request log. Its rows share commits with others that are due. */
export interface LogStore extends LogReads {
  /** Present where a long read would take the event loop's time. */
  readonly thread?: LogThread

  /**
   * Appends a row. Resolves with its id once it is committed: a response that is sent after that
   * is in the log, even after `kill -9`. If the client was deleted in the meantime, the row keeps
   * only its name.
   * @throws StoreUnwritableError
   */
  append(row: NewLogRow): Promise<number>

  /**
   * Resolves when all pending rows are committed. A failure rejects the `append` of the rows
   * concerned.
   */
  flush(): Promise<void>

  /**
   * Whether the last write succeeded, and none waits for too long. The next successful write resets
   * a failure.
   */
  writable(): Writable

  /**
   * @throws StoreUnwritableError when the last write failed, and another attempt fails as well
   */
  requireWritable(nowMs: number): Promise<void>

  /**
   * Writes a mark, to find out whether the database can be written even when there are no
   * requests. Right after a write it writes nothing, however often it is called.
   */
  probe(nowMs: number): Promise<Writable>

  /**
   * Probes, and notices a database that says nothing. Call it some times a second: then `writable`
   * knows it within two seconds.
   */
  look(nowMs: number): void

  /** Indexes what was appended since the last run, and forgets what is too old. */
  updateIndex(nowMs: number, signal?: AbortSignal): Promise<void>

  /**
   * How many of the newest rows are not indexed yet: filters examine them one by one. Before the
   * first run it is the whole log.
   */
  unindexedRows(): Promise<number>

  /**
   * The row of a request that arrived in a stretch of time, which must be short: all its rows are
   * read.
   */
  findByRequest(requestId: string, fromMs: number, toMs: number): Promise<LogRow | undefined>

  /** Totals of the requests since a time, in a few milliseconds regardless of their number. */
  summary(sinceMs: number, nowMs: number): Promise<LogSummary>

  /**
   * Removes rows older than a time, in steps of at most `chunk` rows. After a power cut the last
   * ones may be there again.
   * @returns how many were removed
   * @throws StoreUnwritableError, or the signal's reason; the rows removed until then stay
   * removed
   */
  removeOlderThan(beforeMs: number, chunk?: number, options?: StepsOptions): Promise<number>
}
