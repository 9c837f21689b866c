import { EXCHANGE_NAMES, type ExchangeCode } from 'schema'
import { isNotSent } from '../lane/errors.ts'
import { OutcomeUnknownError } from './errors.ts'
import type { CancelledOrder } from './send-cancel.ts'
import type { OfOtherKeys } from './sync-working-orders.ts'
import type { WorkingOrder } from './working-order.ts'

/**
 * `hopeless`: another round would have the same result. `rejected`: a few more rounds are made.
 * `outage`: nothing was sent, or no clear response came; it is tried until one does.
 */
type ProblemKind = 'hopeless' | 'rejected' | 'outage'

/** Why an order is still listed after a round of cancels. */
interface CancelProblem {
  readonly kind: ProblemKind
  readonly message: string
  /** The exchange gave no clear response, or none at all. */
  readonly isUnreachable?: true
  /** It is in another account: a cancel that is signed with the present keys does not reach it. */
  readonly isElsewhere?: true
}

export const NO_CALL: CancelProblem = {
  kind: 'hopeless',
  message: 'It has no id or type that a cancel of it must name; cancel it at the exchange',
}
const GONE = 'The keys that it was placed with are no longer stored'
const NOT_SHOWN = `${GONE}, and the present ones do not show it. Cancel it at the exchange, in the account that it was placed in`

/** Why an order is left that was placed with keys which have been replaced. */
export const OTHER_KEYS: Readonly<Record<Exclude<OfOtherKeys, 'open' | 'ended'>, CancelProblem>> = {
  elsewhere: { kind: 'hopeless', message: NOT_SHOWN, isElsewhere: true },
  'not-yet': { kind: 'rejected', message: NOT_SHOWN },
  unclear: {
    kind: 'hopeless',
    message: `${GONE}, and the present ones do not show whether it is open in their account. Check it at the exchange`,
  },
  unread: {
    kind: 'outage',
    message: `${GONE}, and whether the present ones are of the same account could not be read`,
  },
}

const NOT_TRIED: CancelProblem = { kind: 'outage', message: 'It has not been cancelled yet' }

/** What says that an exchange cannot be reached, by code. */
const UNREACHABLE: ReadonlySet<unknown> = new Set([
  'EXCHANGE_UNAVAILABLE',
  'EXCHANGE_ACCOUNT_UNAVAILABLE',
  'EXCHANGE_UNREACHABLE',
  'EXCHANGE_TIMEOUT',
  'EXCHANGE_CONNECTION_LOST',
  'EXCHANGE_ANSWER_INVALID',
  'EXCHANGE_ANSWER_UNCLEAR',
  'OUTCOME_UNKNOWN',
])

/** 5xx and 429 are about the moment: the same cancel may succeed later. */
export function problemOf(error: unknown): CancelProblem {
  if (!(error instanceof Error)) return { kind: 'rejected', message: 'It could not be cancelled' }
  const status = 'statusCode' in error ? Number(error.statusCode) : 0
  const kind = status >= 500 || status === 429 ? 'outage' : 'rejected'
  const isUnreachable = 'code' in error && UNREACHABLE.has(error.code)
  const message = error instanceof OutcomeUnknownError ? unknownFor(error) : error.message
  return { kind, message, ...(isUnreachable ? { isUnreachable } : {}) }
}

/** Why a cancel left orders open. */
export interface CancelEnd extends CancelProblem {
  /** It may have reached the exchange. */
  readonly isSent: boolean
}

/** The exchange took the cancel without a result, and its lists could not be read. */
export const NOT_SEEN: CancelEnd = {
  ...{ kind: 'outage', isUnreachable: true },
  message: 'It is not known whether it was cancelled: the open orders could not be read',
  isSent: true,
}

/** @param error undefined: the exchange took the cancel, and the orders are still listed */
export function endOf(exchange: ExchangeCode, error: unknown): CancelEnd {
  if (error !== undefined) return { ...problemOf(error), isSent: !isNotSent(error) }
  const message = `${EXCHANGE_NAMES[exchange]} did not cancel it`
  return { kind: 'rejected', message, isSent: true }
}

/** Without the advice to a bot, which did not send the cancel. */
const unknownFor = ({ why }: OutcomeUnknownError) =>
  `It is unknown whether it was cancelled: ${why}`

/** The most rounds from one try to the next, after tries whose outcome is unknown. */
const ROUNDS_BETWEEN_MAX = 10

/** The cancels of an order that were sent. */
interface Tries {
  readonly count: number
  readonly lastAtMs: number | null
}
const NO_TRIES: Tries = { count: 0, lastAtMs: null }

/** What a stop knows of the working orders of one client at one exchange, from all its rounds. */
export class CancelProblems {
  readonly #ofOrders = new Map<number, CancelProblem>()
  readonly #tries = new Map<number, Tries>()
  readonly #inDoubt = new Set<WorkingOrder>()
  #unread: string | undefined
  #isRead = false
  #unknownTries = 0
  #nextTryRound = 0

  get(order: Pick<WorkingOrder, 'id'>): CancelProblem {
    return this.#ofOrders.get(order.id) ?? NOT_TRIED
  }

  set(orders: readonly Pick<WorkingOrder, 'id'>[], problem: CancelProblem): void {
    for (const { id } of orders) this.#ofOrders.set(id, problem)
  }

  /** A cancel of these orders may have reached the exchange. */
  tried(orders: readonly Pick<WorkingOrder, 'id'>[], atMs: number): void {
    for (const order of orders)
      this.#tries.set(order.id, { count: this.triesOf(order).count + 1, lastAtMs: atMs })
  }

  /** A try may have cancelled these orders, which are listed nevertheless. */
  doubt(orders: readonly WorkingOrder[]): void {
    for (const order of orders) this.#inDoubt.add(order)
  }

  /** It is known that these were cancelled. */
  reported(cancelled: readonly CancelledOrder[]): void {
    for (const { orderId, clientOrderId } of cancelled)
      for (const order of this.#inDoubt) {
        const isSame =
          orderId === null ? order.clientOrderId === clientOrderId : order.orderId === orderId
        if (isSame) this.#inDoubt.delete(order)
      }
  }

  /** Takes those in doubt that are no longer listed. */
  takeGone(listed: readonly WorkingOrder[]): WorkingOrder[] {
    const ids = new Set(listed.map(({ id }) => id))
    const gone = [...this.#inDoubt].filter(({ id }) => !ids.has(id))
    for (const order of gone) this.#inDoubt.delete(order)
    return gone
  }

  triesOf({ id }: Pick<WorkingOrder, 'id'>): Tries {
    return this.#tries.get(id) ?? NO_TRIES
  }

  /** Why an order is left, in words. */
  messageOf(order: Pick<WorkingOrder, 'id'>): string {
    const { kind, message } = this.get(order)
    if (
      kind === 'hopeless' ||
      this.#isRead ||
      this.#unread === undefined ||
      this.#unread === message
    )
      return message
    return `${message}. The open orders could not be read either: ${this.#unread}`
  }

  /** The exchange said which orders are open. */
  read(): void {
    this.#isRead = true
  }

  /**
   * The exchange could not be asked which orders are open.
   * @returns whether this is new
   */
  notRead(error: unknown): boolean {
    const { message } = problemOf(error)
    const isNew = this.#unread !== message
    this.#unread = message
    return isNew
  }

  /** Whether cancels are to be sent in this round. */
  mayTry(round: number): boolean {
    return round >= this.#nextTryRound
  }

  /** A try may have cancelled an order: each further one is another order to look up. */
  triedInVain(round: number): void {
    this.#unknownTries += 1
    this.#nextTryRound = round + Math.min(2 ** this.#unknownTries, ROUNDS_BETWEEN_MAX)
  }

  /** The exchange gives clear responses again. */
  responded(): void {
    this.#unknownTries = 0
    this.#nextTryRound = 0
  }
}
