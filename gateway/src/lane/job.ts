/**
 * What a job is about, the most urgent first: a cancel limits a loss, a lookup ends the doubt about
 * an order that may exist, and market data is available elsewhere.
 */
export const JOB_CLASSES = ['cancel', 'lookup', 'order', 'account', 'market'] as const
export type JobClass = (typeof JOB_CLASSES)[number]

/** 0 for the most urgent class. */
export function rankOf(jobClass: JobClass): number {
  return JOB_CLASSES.indexOf(jobClass)
}

/**
 * A call that changes nothing at the exchange: it may be sent again, and several callers may share
 * its response.
 */
export function isRead(jobClass: JobClass): boolean {
  return jobClass !== 'cancel' && jobClass !== 'order'
}

/** What `run` gets when its slot comes, or up to `leadMs` before. */
export interface Slot {
  /**
   * Resolves when the slot is there. What takes time is done before; no byte is sent before.
   * @throws ExchangeStoppedError when the lane was stopped in the meantime, or why it is held back:
   * nothing may be sent
   */
  readonly opened: () => Promise<void>
  /**
   * Why nothing may be sent any more: the lane was stopped or is held back. Undefined when it may.
   * Check it once more right before the first byte, because opening a connection can take seconds.
   */
  readonly heldBack: () => undefined | Error
  /**
   * Call it when the bytes of the request are on the socket. The next job is not sent before that,
   * or before `run` settles, except for the few that `SlotClock.isBlocked` allows. A `run` that
   * never calls it counts as sent when it settles, which costs throughput.
   */
  readonly onSent: () => void
  /**
   * Call it when the first byte of the response comes: the lane learns from it how late the call
   * may have reached the exchange. A `run` that never calls it and gets a response counts as
   * measured by nobody, and as on time.
   */
  readonly onResponse: () => void
  /**
   * Call it with the exchange's time at which it had the call, in Unix ms, if the response says.
   */
  readonly onExchangeTime: (ms: number) => void
  /** Whole milliseconds that the job waited in the queue. */
  readonly queueWaitMs: number
}

/** What the list of queued requests says of a job. */
export interface JobLabel {
  readonly requestId: string
  readonly method: string
  readonly endpoint: string
  /** The names of the order that it is about; absent where it is about none. */
  readonly order?: {
    readonly clientOrderId?: string | undefined
    readonly orderId?: string | undefined
  }
}

/** What a job finds in the queue when it joins. */
export interface QueuePlace {
  /** How many are sent before it, if no jobs come or leave. */
  readonly ahead: number
  /** How many wait by class, in the order of JOB_CLASSES; absent: none. */
  readonly waiting?: readonly number[]
  /** How many of them are of its client. */
  readonly own?: number
}

/** What a job gets when it joins the queue. `waits`: no call can be sent for it now. */
export type OnQueued = (place: QueuePlace, waits: boolean) => void

/** One request to the exchange, waiting for its slot. `A` is the response that `run` gets. */
export interface Job<A> {
  /** The client whose turn it takes. */
  readonly clientId: string
  readonly jobClass: JobClass
  /**
   * Whose call it is at the exchange. Its failures count for the account first. Absent: a call of
   * the gateway itself, whose failure counts for the exchange.
   */
  readonly account?: string
  /**
   * Signed with the account's keys: a rate limit that rejects it may be the account's. That of
   * other calls is the exchange's for everybody here.
   */
  readonly isSigned?: boolean
  /** What the list of queued requests shows an administrator. */
  readonly label: JobLabel
  /**
   * Called when the slot comes, or up to `leadMs` before. It has its own timeout: the lane waits
   * until it settles.
   */
  readonly run: (slot: Slot) => Promise<A>
  /**
   * Called when the slot comes. An error rejects the job, and the slot goes to another one. It must
   * settle.
   */
  readonly lateCheckError?: () => undefined | Error | Promise<undefined | Error>
  /** Called when it joins the queue, not when it comes back after a rate limit. */
  readonly onQueued?: OnQueued
  /**
   * Aborted when the caller hangs up: a queued job is removed immediately, a sent one is not
   * affected.
   */
  readonly signal?: AbortSignal
  /** The longest that the caller will wait in the queue; the lane's own bound caps it. */
  readonly maxWaitMs?: number
  /**
   * It ends orders or says what became of them: it may be sent while the lane is stopped and
   * `endOrders` is on, and now and then although a breaker is open (`BrokenGate`).
   */
  readonly endsOrders?: boolean
  /**
   * Queued reads with the same key share one call. The key has to name everything that the response
   * depends on, the client as well when the response is about an account. Ignored for orders and
   * cancels.
   */
  readonly shareKey?: string
}

/** What a submitted job comes back with. */
export interface LaneResponse<A> {
  readonly response: A
  /** Whole milliseconds from submit to the slot that brought this response. */
  readonly queueWaitMs: number
  /** True when another job made the call. */
  readonly shared: boolean
}
