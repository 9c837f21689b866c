import { OrderRejectedError } from '../errors.ts'
import type { SignedCall } from '../family.ts'
import type { Params } from '../params.ts'
import { type BitgetDialect, BitgetRejection, toBitgetRejection } from './rejection.ts'

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

export interface BatchResponse {
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
