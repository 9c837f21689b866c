import type { ParamProblems, Params } from '../exchange-request.ts'
import type { SignedCall } from '../family.ts'
import { OrderRejectedError, type RejectionReason } from '../order-shelf.ts'
import type { RateLimit } from '../rate-limits.ts'

/**
 * Which of Bitget's codes are used: those of the classic spot and futures accounts, or of the
 * unified one (v3).
 */
export type BitgetDialect = 'spot' | 'mix' | 'unified'

/**
 * An error response of Bitget: `{ code, msg, requestTime, data: null }`, HTTP 400 but for a few.
 */
export class BitgetRejection extends Error {
  readonly code: string
  readonly status: number

  constructor(code: string, message: string, status = 400) {
    super(message)
    this.name = 'BitgetRejection'
    this.code = code
    this.status = status
  }
}

export const bitgetProblems: ParamProblems = {
  missing: (name) => new BitgetRejection('40019', `Parameter ${name} cannot be empty`),
  malformed: (name) => new BitgetRejection('40020', `Parameter ${name} error`),
}

// 400172 for a category that is absent: live. That all other parameters of v3 get it, too, is not
// established [?].
const wrongParameter = (name: string) =>
  new BitgetRejection('400172', `Parameter verification failed ${name}`)

export const unifiedProblems: ParamProblems = {
  missing: wrongParameter,
  malformed: wrongParameter,
}

export const noSuchSymbol = (symbol: string) =>
  new BitgetRejection('40034', `Parameter ${symbol} does not exist`)

type Words = readonly [code: string, words: string]

// Codes by class (docs/exchanges/bitget.md, 8); which of a class the real exchange picks is not
// always established.
const spot: Record<RejectionReason, Words> = {
  'symbol-closed': ['40844', 'The trading pair is under maintenance'],
  'price-missing': ['40019', 'Parameter price cannot be empty'],
  'price-scale': ['40808', 'Parameter verification exception price'],
  'price-low': ['43008', 'The current order price cannot be less than'],
  'price-high': ['43009', 'The current order price exceeds the limit'],
  'size-missing': ['40019', 'Parameter size cannot be empty'],
  'size-scale': ['40808', 'Parameter verification exception size'],
  'size-small': ['43006', 'The order quantity is less than the minimum transaction quantity'],
  'size-large': ['43007', 'The order quantity is greater than the maximum transaction quantity'],
  'value-small': ['45110', 'less than the minimum amount USDT'],
  'value-large': ['43007', 'The order quantity is greater than the maximum transaction quantity'],
  balance: ['43012', 'Insufficient balance'],
  margin: ['43012', 'Insufficient balance'],
  'no-position': ['22002', 'No position to close'],
  'position-small': ['40757', 'Not enough position is available'],
  'position-mode': ['40920', 'Position or order exists, the position mode cannot be switched'],
  'margin-mode': [
    '45117',
    'Currently holding positions or orders, the margin mode cannot be adjusted',
  ],
  // No page has 40797 (docs/exchanges/bitget.md, 8); seen in public code only.
  leverage: ['40797', 'Exceeded the maximum settable leverage'],
  'too-many-orders': ['43005', 'Exceed the maximum number of orders'],
  'order-state': ['45055', 'The current order status cannot be cancelled'],
}

const mix: Record<RejectionReason, Words> = {
  ...spot,
  'price-scale': ['45115', 'The price you enter should be a multiple of'],
  'size-small': ['45111', 'less than the minimum order quantity'],
  'size-large': ['45112', 'more than the maximum order quantity'],
  'value-large': ['45112', 'more than the maximum order quantity'],
  margin: ['40762', 'The order amount exceeds the balance'],
}

// The codes of v3 by the words of its error page; which of them an order gets is established for
// 25202 to 25204 and 25227 only (docs/exchanges/bitget-unified.md, 9).
const unified: Record<RejectionReason, Words> = {
  'symbol-closed': ['25101', 'Trading pair not open for trading'],
  'price-missing': ['400172', 'Parameter verification failed price'],
  'price-scale': ['25244', 'Price should be a multiple of'],
  'price-low': ['25205', 'The trading price cannot be below'],
  'price-high': ['25206', 'The trading price cannot exceed'],
  'size-missing': ['400172', 'Parameter verification failed qty'],
  'size-scale': ['25610', 'Order amount does not meet precision requirements:'],
  'size-small': ['25207', 'The trading quantity cannot be less than'],
  'size-large': ['25208', 'The trading quantity cannot exceed'],
  'value-small': ['25611', 'Order quantity must be greater than the minimum order amount'],
  'value-large': ['25208', 'The trading quantity cannot exceed'],
  balance: ['25202', 'Insufficient balance'],
  margin: ['25203', 'Insufficient margin'],
  'no-position': ['25227', 'No position available to close'],
  'position-small': ['25225', 'Insufficient available quantity in position'],
  'position-mode': ['25107', 'There is currently a position, please close the position'],
  'margin-mode': ['25236', 'Incorrect position open type'],
  leverage: ['25223', 'Exceeds the maximum leverage'],
  'too-many-orders': ['25211', 'Exceeds the limit of maximum orders'],
  'order-state': ['25204', 'Order does not exist'],
}

const words: Readonly<Record<BitgetDialect, Record<RejectionReason, Words>>> = {
  spot,
  mix,
  unified,
}

/**
 * What Bitget says when its engine does not take an order; futures and v3 have codes of their own.
 */
export function toBitgetRejection(
  { reason, detail }: OrderRejectedError,
  dialect: BitgetDialect,
): BitgetRejection {
  const [code, text] = words[dialect][reason]
  const showsBound = /^(price|size|value)-/.test(reason) && detail !== ''
  return new BitgetRejection(code, showsBound ? `${text} ${detail}` : text)
}

// What the calls of spot, of futures and of v3 have in common.

/** So many requests in a second, independently for every endpoint. */
export const perSecond = (max: number): RateLimit => ({ max, windowMs: 1_000 })

/** How a call names an order. */
export const toIds = ({ id, clientId }: { readonly id: string; readonly clientId: string }) => ({
  orderId: id,
  clientOid: clientId,
})

const LENGTH_MAX = 50
const UNUSUAL_LENGTH_MAX = 64

/**
 * A caller's client order id, or one of the exchange's own.
 * @throws BitgetRejection 40304 or 40305
 */
export function clientOidOf({ params, venue }: SignedCall, name = 'clientOid'): string {
  const clientOid = params.text(name)
  if (clientOid === undefined) return `BITGET#${venue.nextId()}`
  if (clientOid.length > UNUSUAL_LENGTH_MAX || !/^[\w+#:./@ -]*$/.test(clientOid)) {
    throw new BitgetRejection(
      '40305',
      'client_oid length is not greater than 64, and cannot be Martian characters',
    )
  }
  if (clientOid.length > LENGTH_MAX) {
    throw new BitgetRejection('40304', `${name} is longer than ${LENGTH_MAX} characters`)
  }
  return clientOid
}

const LIMIT_MAX = 100
const HISTORY_MS = 90 * 86_400_000

/** An order, or a trade. */
type Listed = { readonly id: string } & (
  | { readonly createdAtMs: number }
  | { readonly atMs: number }
)

/**
 * One page of a list that is newest first: `startTime`, `endTime`, `limit` up to 100, and
 * `cursorName` for the id before which it starts. Nothing older than 90 days. @throws
 * BitgetRejection
 */
export function pageOf<Item extends Listed>(
  { params, request }: SignedCall,
  items: readonly Item[],
  cursorName: 'idLessThan' | 'cursor' = 'idLessThan',
): readonly Item[] {
  const limit = params.integer('limit') ?? LIMIT_MAX
  if (limit < 1 || limit > LIMIT_MAX) throw params.problems.malformed('limit')
  const fromMs = Math.max(params.integer('startTime') ?? 0, request.nowMs - HISTORY_MS)
  const toMs = params.integer('endTime') ?? Number.MAX_SAFE_INTEGER
  const before = params.text(cursorName)
  if (before !== undefined && !/^\d{1,30}$/.test(before))
    throw params.problems.malformed(cursorName)
  return items
    .filter((item) => {
      const atMs = 'atMs' in item ? item.atMs : item.createdAtMs
      const isOlder = before === undefined || BigInt(item.id) < BigInt(before)
      return isOlder && atMs >= fromMs && atMs <= toMs
    })
    .slice(0, limit)
}

/** By the best-practice page and the words of 40306; the pages of v2's batch calls say 50. */
const BATCH_MAX = 20

interface Ids {
  readonly orderId: string | null
  readonly clientOid: string
}

interface FailedEntry {
  readonly orderId: string
  readonly clientOid: string
  readonly errorCode: string
  readonly errorMsg: string
}

interface BatchResponse {
  readonly [name: string]: readonly { readonly [name: string]: string | null }[]
  readonly successList: readonly { readonly [name: string]: string | null }[]
  readonly failureList: readonly { readonly [name: string]: string }[]
}

interface BatchForm {
  /** Name of the list. */
  readonly list: string
  /** Fields that the entries share. */
  readonly shared: readonly string[]
  readonly market: BitgetDialect
}

/** What became of an entry: one of the two. */
interface EntryResult {
  readonly done?: Ids
  readonly failed?: FailedEntry
}

/**
 * One call for each entry of a list.
 * @throws BitgetRejection when the list is absent, empty or too long
 */
export function entryResults(
  call: SignedCall,
  { list, shared, market }: BatchForm,
  work: (entry: SignedCall) => Ids,
): readonly EntryResult[] {
  const entries = call.params.objects(list)
  if (entries === undefined || entries.length === 0) throw call.params.problems.missing(list)
  if (entries.length > BATCH_MAX)
    throw new BitgetRejection('40306', `The batch is larger than ${BATCH_MAX}`)
  return entries.map((params) => entryResult(toEntryCall(call, params, shared), market, work))
}

/**
 * How v2 responds to several orders: a rejected entry is listed in `failureList`; the response as a
 * whole is still a success. @throws BitgetRejection when the list is absent, empty or too long
 */
export function inBatch(
  call: SignedCall,
  form: BatchForm,
  work: (entry: SignedCall) => Ids,
): BatchResponse {
  const results = entryResults(call, form, work)
  return {
    successList: results.flatMap(({ done }) => (done === undefined ? [] : [{ ...done }])),
    failureList: results.flatMap(({ failed }) => (failed === undefined ? [] : [{ ...failed }])),
  }
}

function entryResult(
  entry: SignedCall,
  market: BitgetDialect,
  work: (entry: SignedCall) => Ids,
): EntryResult {
  try {
    return { done: work(entry) }
  } catch (error) {
    const rejection = error instanceof OrderRejectedError ? toBitgetRejection(error, market) : error
    if (!(rejection instanceof BitgetRejection)) throw error
    const { params } = entry
    return {
      failed: {
        orderId: params.text('orderId') ?? '',
        clientOid: params.text('clientOid') ?? '',
        errorCode: rejection.code,
        errorMsg: rejection.message,
      },
    }
  }
}

function toEntryCall(call: SignedCall, entry: Params, shared: readonly string[]): SignedCall {
  const common = shared.flatMap((name): [string, string][] => {
    const value = call.params.text(name)
    return value === undefined ? [] : [[name, value]]
  })
  return { ...call, params: entry.over(new Map(common)) }
}
