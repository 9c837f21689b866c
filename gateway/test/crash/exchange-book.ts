import type { PaperControl } from '../../paper-exchange/src/control.ts'
import type { PaperOrder } from '../../paper-exchange/src/paper-order.ts'
import type { ReceivedRequest } from '../../paper-exchange/src/received.ts'

/** A request that would trade, as it arrived at the exchange. */
export interface Arrival {
  /** Counts from 1, in the order of arrival. */
  readonly seq: number
  readonly mark: string
  readonly action: 'place' | 'cancel'
  /** Null for cancels, which carry none of their own. */
  readonly clientOrderId: string | null
  readonly account: string | null
  /**
   * The exchange rejected it for its rate, its time or the kind of the account: nothing was done.
   */
  readonly wasTurnedAway: boolean
  /** A fault struck before the exchange took it in: nothing was done, and no response said so. */
  readonly vanished: boolean
}

/** What the paper exchange knows: its orders and what arrived. */
export interface ExchangeBook {
  readonly orders: ReadonlyMap<string, readonly PaperOrder[]>
  readonly arrivals: ReadonlyMap<string, readonly Arrival[]>
}

const TURNED_AWAY = new Set(['429', '418', '510'])
/** The account is of the other kind (docs/exchanges/bitget-unified.md, 1). */
const OTHER_KIND = new Set(['40084', '40085'])
/** Between the longest that a slow request takes here and the least that the clock runs ahead. */
const TIME_ERROR_MS = 45_000
/** As the run uses them: a page comes after the order was taken in, a 5xx before. */
const VANISHED = new Set(['reset-before', 'timeout-before', '5xx'])

export function readExchange(paper: Pick<PaperControl, 'orders' | 'received'>): ExchangeBook {
  const arrivals = paper.received().flatMap((request) => toArrival(request) ?? [])
  return {
    orders: Map.groupBy(paper.orders(), ({ price }) => price ?? ''),
    arrivals: Map.groupBy(arrivals, ({ mark }) => mark),
  }
}

/** What arrived for one mark and may have been carried out. */
export function takenArrivals(
  paper: Pick<PaperControl, 'received'>,
  mark: string,
): readonly Arrival[] {
  return paper
    .received()
    .flatMap((request) => toArrival(request) ?? [])
    .filter((arrival) => arrival.mark === mark && !arrival.wasTurnedAway)
}

/** Undefined for what does not trade. */
function toArrival(request: ReceivedRequest): Arrival | undefined {
  const { seq, method, path, query, body, fault, status, account, code = '' } = request
  if (method === 'GET') return undefined
  const isCancel = method === 'DELETE' || path.includes('cancel')
  const text = `${query} ${body}`
  const mark = isCancel ? /\d{15,}/.exec(text)?.[0] : fieldOf(text, '(?:newPrice|price)')
  if (mark === undefined) return undefined
  return {
    seq,
    mark,
    action: isCancel ? 'cancel' : 'place',
    clientOrderId: isCancel
      ? null
      : (fieldOf(text, '(?:newClientOrderId|externalOid|newClientOid|clientOid)') ?? null),
    account,
    wasTurnedAway:
      status === 429 || TURNED_AWAY.has(fault ?? '') || OTHER_KIND.has(code) || isMistimed(request),
    vanished: VANISHED.has(fault ?? ''),
  }
}

/**
 * Signed with a time that no exchange takes: the gateway's clock ran ahead and was not measured
 * yet.
 */
export function isMistimed({ headers, query, arrivedAtMs }: ReceivedRequest): boolean {
  const signedAt =
    headers['request-time'] ?? headers['access-timestamp'] ?? fieldOf(query, 'timestamp')
  return Math.abs(Number(signedAt) - arrivedAtMs) > TIME_ERROR_MS
}

/** Of a query or a JSON body. */
function fieldOf(text: string, name: string): string | undefined {
  return new RegExp(`\\b${name}"?[=:]"?([\\w.#+-]+)`).exec(text)?.[1]
}
