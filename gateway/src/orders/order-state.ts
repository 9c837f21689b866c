import type { ExchangeCode } from 'schema'
import { datedOrderKey, type OrderKey, ordersOf } from '../exchanges/order-lookup/order-key.ts'
import { findable } from '../exchanges/order-lookups.ts'
import { type OrderResult, perhapsClosedBy } from '../exchanges/order-results.ts'
import type {
  AskedFor,
  FinalState,
  JournalRow,
  JournalStore,
  NewJournalRow,
  Settlement,
} from '../store/journal-store.ts'
import type { OrderLife } from '../store/life-event.ts'
import type { Events } from '../upstream/events.ts'
import type { RequestContext } from '../upstream/request-context.ts'
import type { StoredResponse } from '../upstream/responses.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { askedFor, fillIn } from './asked-for.ts'
import { namesInCall, namesInResults } from './order-names.ts'
import type { OrderRequest } from './order-request.ts'
import type { PendingOutcomes } from './pending-outcomes.ts'
import { clientOrderIdOf } from './retries.ts'
import type { RetryingWriter } from './retrying-writer.ts'
import type { WorkingOrders } from './working-orders.ts'

/**
 * The state of an order: queued → sent → settled. A sent order that the exchange turned away is
 * queued again. When the response was lost or unclear, the order is unknown until a look-up settles
 * it. One that was marked as sent and kept back before its first byte is `unsent`, which is `sent`
 * in the journal; it can be marked again.
 */
type OrderState =
  | { readonly name: 'queued' }
  | {
      readonly name: 'sent' | 'unsent'
      readonly key: OrderKey | undefined
      readonly fence: number | undefined
    }
  | { readonly name: 'unknown'; readonly key: OrderKey | undefined }
  | { readonly name: 'settled' }

/** A change of an order's state, with the data for the journal. */
export type OrderChange =
  | { readonly to: 'queued' }
  /** Its bytes are about to be sent. `key`: undefined when it cannot be looked up. */
  | {
      readonly to: 'sent'
      readonly key: OrderKey | undefined
      /** The orders that the call names, also when they cannot be looked up. */
      readonly named: OrderKey | undefined
      /** What it may close; absent also when it can be looked up. */
      readonly closing?: OrderKey | undefined
      readonly keysId: number | null
      /** The exchange's time from which look-ups search, whole Unix ms. */
      readonly sentAtMs: number
      /** The number with which this node is the owner; undefined where there is no group. */
      readonly fence: number | undefined
      /** What it is worth, millionths of a USDT; null when nobody asked. */
      readonly valueMicros: number | null
    }
  /** Not one of its bytes has left since it was marked as sent. */
  | { readonly to: 'unsent' }
  | { readonly to: 'unknown' }
  /** The exchange does not have it, and the next owner gets its request. */
  | { readonly to: 'handed-over' }
  | {
      readonly to: 'settled'
      readonly end: OrderEnding
      readonly response: StoredResponse
      /** What became of its orders; absent when the exchange did nothing. */
      readonly results?: readonly OrderResult[]
      /** Whether the journal has the order at all; absent: it does. */
      readonly isEntryInDoubt?: boolean
    }

export interface OrderEnding {
  readonly state: FinalState
  /** Nothing was placed at the exchange: the same idempotency key may be used again. */
  readonly releasesKey: boolean
}

/** An order that this process carries out. */
export interface OrderProgress {
  readonly request: OrderRequest
  /**
   * Inserts the order into the journal. Resolves with the order that already has its idempotency
   * key, if there is one.
   */
  readonly admitted: Promise<JournalRow | undefined>
  readonly life: OrderLife
  /** What the journal gets of it first. */
  readonly entry: NewJournalRow
  /** The orders that its call names; undefined before it is built, and where it names none. */
  named: OrderKey | undefined
  /** What the caller asked for, of a call that was not built. */
  asked?: AskedFor | undefined
  /** What the journal has of `named` while the order waits. */
  kept?: OrderKey | undefined
  /**
   * Of one that nothing can be looked up of, until it counts: what it may have closed, and the
   * keys that it was sent with.
   */
  mayClose: { readonly closing: OrderKey | undefined; readonly keysRef: number | null } | undefined
  /** Resolves when the journal has the end, or cannot be written. */
  ended: Promise<void>
  state: OrderState
  /**
   * How often it was marked as sent and not kept back. When the exchange turns an attempt away, it
   * may still have accepted an earlier one.
   */
  timesSent: number
  /** Exchange time, Unix ms; undefined before the order was sent. */
  firstSentAtMs: number | undefined
}

const NEXT: Readonly<Record<OrderState['name'], readonly OrderState['name'][]>> = {
  queued: ['sent', 'settled'],
  sent: ['queued', 'unsent', 'unknown', 'settled'],
  unsent: ['sent', 'settled'],
  unknown: ['unknown', 'settled'],
  settled: [],
}

export interface OrderStateDeps {
  readonly journal: Pick<
    JournalStore,
    'keepKey' | 'markSent' | 'markQueued' | 'markUnknown' | 'handOver'
  >
  readonly settlements: Pick<RetryingWriter<Settlement>, 'write'>
  readonly workingOrders: Pick<WorkingOrders, 'sending' | 'ended' | 'written' | 'neverKnown'>
  readonly pendingOutcomes: Pick<PendingOutcomes, 'unknown'>
  readonly upstreams: Readonly<Record<ExchangeCode, Pick<Upstream, 'accountRefOf'>>>
  /** The exchange's time, whole Unix ms. */
  readonly exchangeNowMs: (exchange: ExchangeCode) => number
  readonly events: Pick<Events, 'emit'>
  readonly nowMs: () => number
}

export function startProgress(
  request: OrderRequest,
  admitted: OrderProgress['admitted'],
  life: OrderLife,
  entry: NewJournalRow,
): OrderProgress {
  return {
    request,
    ...{ admitted, life, entry },
    named: undefined,
    mayClose: undefined,
    ended: Promise.resolve(),
    state: { name: 'queued' },
    timesSent: 0,
    firstSentAtMs: undefined,
  }
}

/**
 * Changes an order's state and writes the journal. Nothing else writes a state. Nothing may be sent
 * before the change to `sent` has resolved, and no response before `ended` has: it shares a commit
 * with the row of the request log. The other changes apply even when the write fails: after a
 * crash, a look-up finds the true state.
 * @throws StoreUnwritableError, NotOwnerError for a change to `sent` or `handed-over`;
 * ClientGoneError for a change to `sent`; an error for a change of what was sent to `handed-over`
 */
export async function changeState(
  deps: OrderStateDeps,
  order: OrderProgress,
  change: OrderChange,
): Promise<void> {
  const { id } = order.request
  if (!NEXT[order.state.name].includes(nameAfter(change)))
    throw new Error(`Order ${id} cannot become ${change.to}: it is ${order.state.name}`)
  // Without its end, the next start drops an order that was never sent, and looks up one with a
  // key.
  const wasNeverSent = order.timesSent === 0
  const isQueued = wasNeverSent && order.state.name === 'queued'
  const canBeFoundAgain = isQueued || isFoundAlike(keyIn(order.state))
  if (change.to === 'sent') await writeSent(deps, order, change)
  if (change.to === 'handed-over') await writeHandedOver(deps, order)
  order.state = stateAfter(order.state, change)
  if (change.to === 'unknown') {
    const { request, named, entry } = order
    const isFindable = keyIn(order.state) !== undefined
    deps.pendingOutcomes.unknown(request, named, isFindable, entry.createdAtMs)
  }
  if (change.to === 'sent') return
  if (change.to === 'unsent') takeBack(order)
  if (change.to === 'unsent' || change.to === 'handed-over') {
    deps.workingOrders.ended(order.request, [])
    return
  }
  const reportFailure = (error: unknown) => deps.events.emit('journalFailed', { id, error })
  if (change.to === 'queued') deps.workingOrders.ended(order.request, [])
  const { journal } = deps
  const { life } = order
  if (change.to === 'queued')
    await life.write((events) => journal.markQueued(id, events)).catch(reportFailure)
  else if (change.to === 'unknown')
    // In this order: what is still `sent` counts at the next start.
    await countClosed(deps, order)
      .then(() => life.write((events) => journal.markUnknown(id, events)))
      .catch(reportFailure)
  else {
    const { results = [] } = change
    const workingOrders = deps.workingOrders.ended(order.request, results)
    const settlement = {
      ...toSettlement(order, change, deps.nowMs()),
      ...{ canBeFoundAgain, workingOrders },
      ...(wasNeverSent ? { asked: askedBy(order), fence: order.entry.fence } : {}),
      ...(change.isEntryInDoubt === true ? { entry: order.entry } : {}),
    }
    order.ended = deps.settlements
      .write(id, settlement)
      .then(() => deps.workingOrders.written(id), reportFailure)
      .then(() => {
        const { state } = change.end
        deps.events.emit('orderSettled', { order: order.request, state, results })
      })
  }
}

/** Nobody will know the outcome: what it may have closed counts as closed. */
async function countClosed(
  { workingOrders, events }: OrderStateDeps,
  order: OrderProgress,
): Promise<void> {
  const { mayClose, request } = order
  if (mayClose === undefined) return
  const { closing, keysRef } = mayClose
  const written = workingOrders.neverKnown(request, perhapsClosedBy(closing), keysRef)
  events.emit('orderNeverKnown', { order: request })
  await written
  order.mayClose = undefined
}

/**
 * Enters what a waiting order can be looked up by, once: a backup that is made now may be restored
 * after the order was sent.
 */
export async function keepKey(
  { journal, events, upstreams, exchangeNowMs }: OrderStateDeps,
  order: OrderProgress,
  context: RequestContext,
): Promise<void> {
  const { request, named } = order
  const { id, exchange } = request
  const key = findable(named)
  if (key === undefined || order.kept === named) return
  order.kept = named
  try {
    // It is sent later.
    const dated = datedOrderKey(key, clientOrderIdOf(request), exchangeNowMs(exchange))
    const keysRef = await upstreams[exchange].accountRefOf(context)
    const { clientOrderId = null } = key
    const asked = askedFor(request, named)
    await journal.keepKey(id, {
      ...{ ...asked, orderKey: JSON.stringify(dated), clientOrderId, keysRef },
    })
  } catch (error) {
    events.emit('journalFailed', { id, error })
  }
}

function stateAfter(state: OrderState, change: OrderChange): OrderState {
  if (change.to === 'sent') return { name: 'sent', key: change.key, fence: change.fence }
  if (change.to === 'unsent') return { name: 'unsent', key: keyIn(state), fence: fenceIn(state) }
  if (change.to === 'unknown') return { name: 'unknown', key: keyIn(state) }
  return { name: change.to === 'queued' ? 'queued' : 'settled' }
}

function fenceIn(state: OrderState): number | undefined {
  return 'fence' in state ? state.fence : undefined
}

function nameAfter({ to }: OrderChange): OrderState['name'] {
  return to === 'handed-over' ? 'settled' : to
}

/**
 * Whether a look-up gives the caller the same response as the exchange. After a change it does not:
 * it finds the new order, where the response may name the old one, or only the old one.
 */
function isFoundAlike(key: OrderKey | undefined): boolean {
  return key !== undefined && ordersOf(key).every(({ action }) => action !== 'modify')
}

/** The key to look the order up by; undefined when it was not sent, or names nothing to look up. */
export function keyIn(state: OrderState): OrderKey | undefined {
  return 'key' in state ? state.key : undefined
}

/** @throws when the exchange may have the order */
async function writeHandedOver({ journal, nowMs }: OrderStateDeps, order: OrderProgress) {
  const { request, state, timesSent, firstSentAtMs = null } = order
  if (state.name !== 'queued' && state.name !== 'unsent')
    throw new Error(`Order ${request.id} has been sent`)
  await journal.handOver(request.id, {
    ...{ from: state.name === 'unsent' ? 'sent' : 'queued', fence: fenceIn(state), atMs: nowMs() },
    sentAtMs: timesSent > 0 ? firstSentAtMs : null,
  })
}

/** Not one byte has left since the last mark. */
function takeBack(order: OrderProgress): void {
  order.timesSent -= 1
  if (order.timesSent === 0) order.firstSentAtMs = undefined
}

async function writeSent(
  { journal, workingOrders }: OrderStateDeps,
  order: OrderProgress,
  {
    key,
    named,
    closing,
    keysId,
    valueMicros,
    sentAtMs,
    fence,
  }: Extract<OrderChange, { to: 'sent' }>,
): Promise<void> {
  const { request } = order
  const firstSentAtMs = Math.min(order.firstSentAtMs ?? sentAtMs, sentAtMs)
  const dated =
    key === undefined ? undefined : datedOrderKey(key, clientOrderIdOf(request), firstSentAtMs)
  const closes = closing !== undefined && perhapsClosedBy(closing).length > 0
  // The mark comes first: the lists of the journal compare it.
  const kept = closes ? { isUnfindable: true, ...closing } : dated
  workingOrders.sending(request, dated ?? named, keysId)
  try {
    const { orderId, names } = namesInCall(named, key?.clientOrderId)
    const marked = order.life.write((events) =>
      journal.markSent(request.id, {
        ...askedFor(request, named),
        orderKey: kept === undefined ? null : JSON.stringify(kept),
        clientOrderId: key?.clientOrderId ?? null,
        orderId,
        keysRef: keysId,
        ...{ sentAtMs, valueMicros, names, events, fence },
      }),
    )
    // When the response to the insertion was lost, the response says that nothing was sent.
    await Promise.all([marked, order.admitted])
  } catch (error) {
    workingOrders.ended(request, [])
    throw error
  }
  order.timesSent += 1
  order.firstSentAtMs = firstSentAtMs
  order.mayClose = key === undefined ? { closing, keysRef: keysId } : undefined
}

function askedBy({ request, named, asked }: OrderProgress): AskedFor {
  return (named === undefined ? asked : undefined) ?? askedFor(request, named)
}

function toSettlement(
  { request, life }: OrderProgress,
  { end, response, results = [] }: Extract<OrderChange, { to: 'settled' }>,
  settledAtMs: number,
): Settlement {
  const { headers: _notKept, ...kept } = response
  const { orderId, names } = namesInResults(results)
  const { idempotencyKey } = request
  // A key that is free again still leads to this order.
  const released = end.releasesKey && idempotencyKey !== null ? [idempotencyKey] : []
  const found = { orderId, names: [...names, ...released], events: life.take() }
  return { ...kept, ...end, ...found, ...fillIn(results), settledAtMs }
}
