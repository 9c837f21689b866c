import { OrderRejectedError } from '../errors.ts'
import type { SignedCall } from '../family.ts'
import type { Params } from '../params.ts'
import type { RateLimit } from '../rate-limits.ts'
import { type BitgetDialect, BitgetRejection, toBitgetRejection } from './rejection.ts'

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
