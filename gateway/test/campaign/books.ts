import { BigNumber } from 'bignumber.js'
import type { PaperControl, PaperOrder } from '../../paper-exchange/src/control.ts'
import type { ReceivedRequest } from '../../paper-exchange/src/received.ts'
import { isRecord, textOf } from '../../src/exchanges/protocol/untrusted.ts'
import { NOT_CARRIED_OUT_STATUS } from '../../src/store/journal-store.ts'
import { isFinal, type Story, type TryResult } from './bot.ts'
import { accountName, type BotClient, signIn } from './clients.ts'
import { finalStates, type JournalEntry } from './journal.ts'

export interface Books {
  /** What the bots saw. */
  readonly stories: readonly Story[]
  readonly journal: readonly JournalEntry[]
  readonly exchange: ExchangeBook
  /** What each client has used of its limit, as the gateway says. */
  readonly dayValues: ReadonlyMap<string, string>
  /** Whether the database was brought back: the gateway may have forgotten orders. */
  readonly isRestored: boolean
  /** Whether a request may be missing in the journal, by the number of its arrival. */
  readonly isInGap: (seq: number) => boolean
  /** Requests that a restored journal does not have. */
  readonly forgotten: ReadonlySet<string>
  /** Ids and keys of requests that were queued in a database that was restored. */
  readonly inDoubt: ReadonlySet<string>
  /** Whether the outcome of an order that does not exist may be unknown to the end. */
  readonly mayStayUnknown: (of: { readonly clientId: string; readonly exchange: string }) => boolean
}

/** Of a gateway that forgot nothing. */
export const NOTHING_FORGOTTEN = {
  ...{ forgotten: new Set<string>(), inDoubt: new Set<string>(), isRestored: false },
  ...{ isInGap: () => false, mayStayUnknown: () => false },
}

/** Compares the three books. One sentence for each thing that must not be. */
export function checkBooks(books: Books): string[] {
  const { stories, journal, exchange, mayStayUnknown, inDoubt } = books
  return [
    ...stories.flatMap((story) => checkStory(story, books)),
    ...checkResponses(books),
    ...checkArrivals(books),
    ...journal
      .filter(({ state }) => !finalStates.has(state))
      .filter(
        (entry) => !(entry.state === 'unknown' && (mayStayUnknown(entry) || inDoubt.has(entry.id))),
      )
      .map(({ id, state, endpoint }) => `${endpoint} ${id} ended as ${state}, which is no end`),
    ...journal.flatMap((entry) => checkEntry(entry, exchange)),
    ...checkDayValues(books),
  ]
}

/** Of many results, the last ones. */
const SHOWN = 12

function checkStory(
  { clientId, intent, results }: Story,
  { exchange, mayStayUnknown, inDoubt, forgotten, isInGap }: Books,
): string[] {
  const { mark, action, kind, isChange, idempotencyKey } = intent
  const found: string[] = []
  const say = (what: string) => void found.push(`${action} ${kind} ${mark}: ${what}`)
  const orders = exchange.orders.get(mark) ?? []
  const arrivals = exchange.arrivals.get(mark) ?? []
  // What a restored journal lacks and the exchange does not have is sent again.
  const sent = arrivals.filter(({ seq }) => !isInGap(seq))
  const taken = sent.filter(({ vanished }) => vanished).length + orders.length
  if (action === 'place' && orders.length > 1) say(`${orders.length} orders exist`)
  if (action === 'place' && taken > 1) say(`sent ${taken} times`)
  if (action === 'cancel' && sentTimes(sent) > 1) say(`sent ${sentTimes(sent)} times`)

  const ends = results.filter(isFinal)
  // A change is answered with the id of the old order, and its look-up with that of the new one.
  const isLost = results.some(({ journalId = '' }) => forgotten.has(journalId))
  const texts = new Set(ends.map((end) => (isChange && isLost ? end.kind : resultText(end))))
  if (texts.size > 1) say(`got two ends: ${[...texts].join(', ')}`)
  for (const result of results)
    if (result.kind === 'unclear') say(`got an unclear response: ${result.text}`)
  const [end] = ends
  if (end === undefined) {
    const isAllowed =
      inDoubt.has(idempotencyKey ?? '') ||
      (mayStayUnknown({ clientId, exchange: intent.exchange }) && orders.length === 0)
    const last = results.at(-1)
    const isGivenUp = last?.kind === 'not-sent' && !last.isRetryable
    if (idempotencyKey !== null && !isAllowed && !isGivenUp)
      say(`never learnt how it ended: ${results.slice(-SHOWN).map(resultText).join(', ')}`)
  } else if (action === 'place') {
    const problem = placeProblem(end, orders, isChange)
    if (problem !== undefined) say(problem)
  } else {
    const problem = cancelProblem(end, exchange, mark)
    if (problem !== undefined) say(problem)
  }
  return found
}

function placeProblem(
  end: TryResult,
  orders: readonly PaperOrder[],
  isChange: boolean,
): string | undefined {
  const ids = orders.map(({ orderId }) => orderId)
  if (end.kind !== 'done')
    return ids.length === 0 ? undefined : `got ${resultText(end)}, but order ${ids[0]} exists`
  return isChange || ids.includes(digitsOf(end.orderId))
    ? undefined
    : `got order ${end.orderId}, but ${ids[0] ?? 'none'} exists`
}

function cancelProblem(end: TryResult, { orders }: ExchangeBook, mark: string): string | undefined {
  const order = [...orders.values()].flat().find(({ orderId }) => orderId === digitsOf(mark))
  if (order === undefined) return 'no such order ever existed'
  if (end.kind === 'done' && order.status === 'open') return 'reported cancelled, but it is open'
  if (end.kind === 'not-done' && order.status === 'cancelled')
    return 'reported not cancelled, but it is'
  return undefined
}

/** What a bot knows to be done, or not done, is in the journal with its end. */
function checkResponses({ stories, journal, forgotten }: Books): string[] {
  const settled = new Set(journal.filter(({ state }) => finalStates.has(state)).map(({ id }) => id))
  return stories.flatMap(({ results }) =>
    results.flatMap(({ kind, journalId }) => {
      const isEnd = (kind === 'done' || kind === 'not-done') && journalId !== undefined
      return !isEnd || settled.has(journalId) || forgotten.has(journalId)
        ? []
        : [`${journalId} was ${kind}, and the journal has no end of it`]
    }),
  )
}

/** Everything that arrived is in the journal, and not as never sent. */
function checkArrivals({ exchange: { arrivals }, journal, isInGap }: Books): string[] {
  const byClientOrderId = Map.groupBy(journal, ({ clientOrderId }) => clientOrderId)
  const cancelKeys = journal
    .filter(({ orderKey }) => orderKey?.includes('"cancel"'))
    .map(({ orderKey }) => orderKey ?? '')
  const known = [...arrivals.values()].flat().filter(({ seq }) => !isInGap(seq))
  return known.flatMap((arrival) => {
    const { action, mark, clientOrderId, wasTurnedAway } = arrival
    if (action === 'cancel')
      return cancelKeys.some((orderKey) => orderKey.includes(mark))
        ? []
        : [`cancel ${mark} arrived and is not in the journal`]
    const rows = byClientOrderId.get(clientOrderId) ?? []
    if (rows.length === 0) return [`order ${mark} (${clientOrderId}) arrived, not in the journal`]
    return wasTurnedAway || rows.some(({ state }) => state !== 'dropped')
      ? []
      : [`order ${mark} (${clientOrderId}) arrived, and the journal says it was not sent`]
  })
}

/** The responses that the journal keeps are true. */
function checkEntry(entry: JournalEntry, { orders }: ExchangeBook): string[] {
  const { id, body, statusCode, clientOrderId, endpoint, orderKey } = entry
  if (clientOrderId === null || orderKey === null || !orderKey.includes('"place"')) return []
  const order = [...orders.values()].flat().find((o) => o.clientOrderId === clientOrderId)
  const isSuccess = statusCode === 200 && body?.includes('"success":true') === true
  if (isSuccess && order === undefined)
    return [`${endpoint} ${id} has a success response, but no order exists`]
  if (body?.includes('"not-done"') === true && order !== undefined)
    return [`${endpoint} ${id} says not done, but order ${order.orderId} exists`]
  return []
}

const sentTimes = (arrivals: readonly Arrival[]) =>
  arrivals.filter(({ wasTurnedAway }) => !wasTurnedAway).length

/** MEXC spot writes `C02__` in front of the digits. */
const digitsOf = (orderId: string) => orderId.replace(/^C\d+__/, '')

function resultText(result: TryResult): string {
  switch (result.kind) {
    case 'done':
      return `done ${result.orderId}`
    case 'rejected':
    case 'not-sent':
      return `${result.kind} ${result.code}`
    default:
      return result.kind
  }
}

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

/** Far above what the run trades: each order is valued and counted, and none is refused. */
export const WIDE_LIMITS = {
  ...{ symbols: ['BTC*'], maxOrderValue: '100000', maxDayValue: '1000000000' },
  ...{ maxOpenOrders: 10_000, maxLeverage: 100 },
}

/** What the gateway says that a client's orders of the day are worth, USDT. */
export async function readDayValue(url: string, client: BotClient): Promise<string> {
  const response = await fetch(`${url}/api/limits`, { headers: await signIn(url, client) })
  const body: unknown = await response.json()
  const usage = isRecord(body) ? body.usage : undefined
  return (isRecord(usage) ? textOf(usage.dayValue) : undefined) ?? `HTTP ${response.status}`
}

/**
 * Compares what a gateway counts after all its restarts with the journal, and both with what is at
 * the exchange: an order that exists counts as what it is worth, unless the journal was restored.
 */
function checkDayValues({ dayValues, journal, exchange: { orders }, isRestored }: Books): string[] {
  const existing = [...orders.values()].flat()
  return [...dayValues].flatMap(([clientId, counted]) => {
    const accounts = [accountName(clientId, 'mx'), accountName(clientId, 'bg')]
    const inJournal = journal
      .filter((entry) => entry.clientId === clientId && mayExist(entry))
      .reduce((sum, { valueMicros }) => sum.plus(valueMicros ?? 0), new BigNumber(0))
      .shiftedBy(-6)
    const atExchange = existing
      .filter(({ account }) => accounts.includes(account))
      .reduce(
        (sum, { size, price }) => sum.plus(new BigNumber(size).times(price ?? 0)),
        new BigNumber(0),
      )
    return [
      ...(inJournal.eq(counted)
        ? []
        : [`${clientId} has used ${counted} USDT, and the journal says ${inJournal.toFixed()}`]),
      ...(isRestored || inJournal.gte(atExchange)
        ? []
        : [
            `${clientId} has used ${counted} USDT, and its orders are worth ${atExchange.toFixed()}`,
          ]),
    ]
  })
}

function mayExist({ state, statusCode }: JournalEntry): boolean {
  if (state === 'resolved') return statusCode !== NOT_CARRIED_OUT_STATUS
  return state !== 'dropped' && state !== 'refused'
}
