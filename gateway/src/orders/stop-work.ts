import { EXCHANGE_NAMES, EXCHANGES, type ExchangeCode, type Stop, type StopPreview } from 'schema'
import { cancelCallsOf } from '../exchanges/order-lookups.ts'
import type { Lane, LaneSnapshot } from '../lane/lane-types.ts'
import type { AuditFacts, Author, NewAuditEntry } from '../store/audit-chain.ts'
import type { KnownStop } from '../store/stop-store.ts'
import type { JudgedResponse } from '../upstream/sign-and-send.ts'
import { NEVER_TRIED } from './cancel-working-orders.ts'
import type { WorkingOrder } from './working-order.ts'
import type { WorkingOrders } from './working-orders.ts'

/** What is stopped: a client, an exchange, or everything. */
export type StopScope =
  | { readonly clientRef: number }
  | { readonly exchange: ExchangeCode }
  | 'everything'

type OfClient = Extract<StopScope, { clientRef: number }>

export function isOfClient(scope: StopScope): scope is OfClient {
  return scope !== 'everything' && 'clientRef' in scope
}

export function exchangesOf(scope: Exclude<StopScope, OfClient>): readonly ExchangeCode[] {
  return scope === 'everything' ? EXCHANGES : [scope.exchange]
}

/** The name of a scope in the store. */
export function nameOf(scope: StopScope): string {
  if (scope === 'everything') return scope
  return isOfClient(scope) ? `client:${scope.clientRef}` : `exchange:${scope.exchange}`
}

/** The scope with this name. */
export function scopeOf(name: string): StopScope {
  const [kind, of = ''] = name.split(':')
  if (kind === 'client') return { clientRef: Number(of) }
  const exchange = EXCHANGES.find((code) => code === of)
  return exchange === undefined ? 'everything' : { exchange }
}

/** Who stops or resumes, why, and what else was asked for. */
interface StopAct {
  readonly author: Author
  readonly reason?: string
  readonly cancelOrders?: boolean
}

/**
 * The audit entry of a stop or of its end. A stop of everything has one for each exchange.
 * @param name of the client or exchange
 */
export function stopEntry(
  scope: StopScope,
  name: string,
  end: 'stopped' | 'resumed',
  { author, ...asked }: StopAct,
): NewAuditEntry {
  const after: AuditFacts = { ...asked, ...(scope === 'everything' ? { everything: true } : {}) }
  const subjectKind = isOfClient(scope) ? 'client' : 'exchange'
  return { author, action: `${subjectKind}.${end}`, subjectKind, subject: name, after }
}

type Working = Pick<WorkingOrders, 'list' | 'sentOf' | 'clientsAt'>
type Lanes = Readonly<Record<ExchangeCode, Pick<Lane<JudgedResponse>, 'snapshot' | 'list'>>>

/** The orders of a stop at one exchange. */
interface AtExchange {
  readonly exchange: ExchangeCode
  readonly lane: LaneSnapshot
  /** Those that may be open, and those that are on their way. */
  readonly orders: number
  /** The calls that cancel them, with the questions which of them are open. */
  readonly calls: number
}

/** What stops have to do, read from memory. */
export class StopWork {
  readonly #workingOrders: Working
  readonly #lanes: Lanes

  constructor(workingOrders: Working, lanes: Lanes) {
    this.#workingOrders = workingOrders
    this.#lanes = lanes
  }

  /** Whose orders at which exchanges are to be cancelled. */
  clientsOf(scope: StopScope): { clientRef: number; exchange: ExchangeCode }[] {
    return exchangesIn(scope).flatMap((exchange) =>
      this.#workingOrders
        .clientsAt(exchange)
        .filter((clientRef) => !isOfClient(scope) || clientRef === scope.clientRef)
        .map((clientRef) => ({ clientRef, exchange })),
    )
  }

  sentOf(scope: StopScope): number {
    return sumOf(this.clientsOf(scope), ({ clientRef, exchange }) =>
      this.#workingOrders.sentOf(clientRef, exchange),
    )
  }

  /** @param clientId of a stop of a client */
  preview(scope: StopScope, clientId: string | undefined): StopPreview {
    const all = this.#ordersOf(scope)
    const queued = sumOf(all, ({ lane }) => lane.queued)
    const own = all.flatMap(({ exchange }) =>
      isOfClient(scope)
        ? this.#lanes[exchange].list().filter((entry) => entry.clientId === clientId)
        : [],
    )
    const orders = own.filter(({ jobClass }) => jobClass === 'order')
    return {
      ...(isOfClient(scope)
        ? { waiting: orders.length, queued: own.length }
        : { waiting: queued, queued }),
      workingOrders: sumOf(all, ({ orders }) => orders),
      estimateSeconds: secondsOf(all, all.filter(isBroken)),
    }
  }

  /** A stored stop as it is shown. */
  show(scope: StopScope, row: KnownStop): Stop {
    const { reason, startedBy, dropped, inFlight, cancelled } = row
    const failed = row.failed.map(complete)
    const isCancelling = row.cancelOrders && row.completedAtMs === null && row.resumedAtMs === null
    const left = isCancelling ? this.#ordersOf(scope) : []
    const unreachable = left.flatMap((each) => unreachableOf(each, failed))
    const remaining = isCancelling ? sumOf(left, ({ orders }) => orders) : failed.length
    return {
      reason,
      startedAt: toTime(row.startedAtMs),
      startedBy,
      completedAt: row.completedAtMs === null ? null : toTime(row.completedAtMs),
      ...{ dropped, inFlight, cancelled, total: cancelled + remaining, remaining },
      estimateSeconds: secondsOf(left, unreachable),
      ...{ unreachable, failed },
      resumedAt: row.resumedAtMs === null ? null : toTime(row.resumedAtMs),
    }
  }

  #ordersOf(scope: StopScope): AtExchange[] {
    const workingOrders = this.#workingOrders
    const clients = this.clientsOf(scope)
    return exchangesIn(scope).map((exchange) => {
      const refs = clients.filter((each) => each.exchange === exchange)
      const lists = refs.map(({ clientRef }) => workingOrders.list(clientRef, exchange))
      const sent = sumOf(refs, ({ clientRef }) => workingOrders.sentOf(clientRef, exchange))
      return {
        ...{ exchange, lane: this.#lanes[exchange].snapshot() },
        orders: sumOf(lists, ({ length }) => length) + sent,
        calls: sent + sumOf(lists, callsFor),
      }
    })
  }
}

function exchangesIn(scope: StopScope): readonly ExchangeCode[] {
  return isOfClient(scope) ? EXCHANGES : exchangesOf(scope)
}

/** Each list of open orders is read once before the cancels. */
function callsFor(orders: readonly WorkingOrder[]): number {
  const lists = new Set(orders.map(({ key }) => `${key.family} ${key.market} ${key.plan}`))
  return lists.size + cancelCallsOf(orders, null).length
}

/** Exchanges work side by side. @param unreachable null when there are some */
function secondsOf(all: readonly AtExchange[], unreachable: readonly unknown[]): number | null {
  if (unreachable.length > 0) return null
  const seconds = all.map(({ calls, lane }) =>
    calls === 0 ? 0 : calls / lane.currentRatePerSecond + (lane.resumesInMs ?? 0) / 1000,
  )
  return Math.ceil(Math.max(0, ...seconds))
}

const isBroken = ({ lane, orders }: AtExchange) => orders > 0 && lane.isBroken

function unreachableOf(
  { exchange, lane, orders }: AtExchange,
  failed: Stop['failed'],
): Stop['unreachable'] {
  const tried = failed.filter((each) => each.exchange === exchange && each.unreachable).length
  const open = lane.isFailing ? orders : Math.min(tried, orders)
  if (open === 0) return []
  const what = open === 1 ? '1 order stays' : `${open} orders stay`
  const message = `${EXCHANGE_NAMES[exchange]} cannot be reached: ${what} open there until it can`
  return [{ exchange, orders: open, message }]
}

/** Versions before this one stored less. */
function complete(failed: Stop['failed'][number]): Stop['failed'][number] {
  return { ...NEVER_TRIED, ...failed }
}

function sumOf<T>(all: readonly T[], numberOf: (each: T) => number): number {
  return all.reduce((sum, each) => sum + numberOf(each), 0)
}

function toTime(ms: number): string {
  return new Date(ms).toISOString()
}
