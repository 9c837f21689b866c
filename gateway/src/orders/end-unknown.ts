import { EXCHANGE_NAMES } from 'schema'
import { resultsOf } from '../exchanges/order-results.ts'
import type { Author } from '../store/audit-chain.ts'
import type { JournalRow, JournalStore } from '../store/journal-store.ts'
import type { Events } from '../upstream/events.ts'
import { NotCarriedOutError, OutcomeSetByAdminError } from './errors.ts'
import { namesInResults } from './order-names.ts'
import type { ToErrorResponse } from './order-request.ts'
import { keyOf, type Reconciler } from './reconcile.ts'
import type { WorkingOrders } from './working-orders.ts'

interface EndUnknownDeps {
  readonly journal: Pick<JournalStore, 'find' | 'settleByAdmin'>
  readonly reconciler: Pick<Reconciler, 'forget' | 'takeEnd'>
  readonly workingOrders: Pick<WorkingOrders, 'ended' | 'endedElsewhere' | 'sending' | 'written'>
  readonly events: Pick<Events, 'emit'>
  readonly toErrorResponse: ToErrorResponse
  readonly nowMs: () => number
  /** As of RunOrderDeps. */
  readonly fence: () => number | undefined
  /** Whether a caller may still get the order's response from this process. */
  readonly isRunning: (id: string) => boolean
}

/** What an administrator found at the exchange. */
export interface FoundByAdmin {
  readonly outcome: 'done' | 'not-done'
  readonly reason: string
  readonly author: Author
}

/**
 * Ends an order of unknown outcome with what an administrator found at the exchange. One that was
 * carried out counts as placed, by its client order id.
 * @returns false when its outcome is known, or a caller may still get it
 * @throws StoreUnwritableError, NotOwnerError: the next owner would keep it as unknown
 */
export async function endUnknown(
  deps: EndUnknownDeps,
  id: string,
  found: FoundByAdmin,
): Promise<boolean> {
  const endTurn = await deps.reconciler.takeEnd(id)
  try {
    const row = await deps.journal.find(id)
    if (row?.state !== 'unknown' || deps.isRunning(id)) return false
    return await end(deps, row, found)
  } finally {
    endTurn()
  }
}

async function end(
  deps: EndUnknownDeps,
  row: JournalRow,
  { outcome, reason, author }: FoundByAdmin,
): Promise<boolean> {
  const { journal, reconciler, workingOrders, events, toErrorResponse, nowMs } = deps
  const fence = deps.fence()
  const name = EXCHANGE_NAMES[row.exchange]
  const error =
    outcome === 'done'
      ? new OutcomeSetByAdminError(name, reason)
      : new NotCarriedOutError(name, `an administrator found that: ${reason}`)
  const key = keyOf(row)
  const results = outcome === 'done' && key !== undefined ? resultsOf(key, undefined) : []
  const settled = journal.settleByAdmin(
    row.id,
    {
      ...{ state: 'resolved', releasesKey: false, settledAtMs: nowMs(), fence },
      ...toErrorResponse(error, row),
      ...namesInResults(results),
      workingOrders: workingOrders.ended(row, results),
    },
    {
      author,
      ...{ action: 'order.ended', subjectKind: 'order', subject: row.id },
      before: { clientId: row.clientId, exchange: row.exchange, state: row.state },
      after: { outcome, reason },
    },
  )
  const isEnded = await settled.catch((error: unknown) => {
    // It is as unknown as before, and a stop waits for it.
    workingOrders.ended(row, [])
    workingOrders.sending(row, key, row.keysRef)
    throw error
  })
  if (!isEnded) {
    // The previous owner got the response late.
    workingOrders.ended(row, [])
    await workingOrders.endedElsewhere(row)
    return false
  }
  reconciler.forget(row.id)
  workingOrders.written(row.id)
  events.emit('orderResolved', { order: row, outcome, results })
  return true
}
