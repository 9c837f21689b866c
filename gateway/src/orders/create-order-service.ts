import type { AuditStore } from '../store/audit-store.ts'
import type { ClientStore } from '../store/client-store.ts'
import { passOverDamage } from '../store/errors.ts'
import type { FactStore } from '../store/fact-store.ts'
import type { HeartbeatStore } from '../store/heartbeat-store.ts'
import type { JournalStore } from '../store/journal-store.ts'
import { RESTORE_MARK_NAME, readRestoreMark } from '../store/restored.ts'
import type { StopStore } from '../store/stop-store.ts'
import type { Time } from '../time.ts'
import type { Upstreams } from '../upstream/create-upstreams.ts'
import type { Events } from '../upstream/events.ts'
import { OrderCanceller } from './cancel-working-orders.ts'
import { CancelCheck } from './check-cancels.ts'
import { endUnknown, type FoundByAdmin } from './end-unknown.ts'
import { Heartbeats, type HeartbeatsDeps } from './heartbeats.ts'
import { createKillSwitch } from './kill-switch.ts'
import type { FillLearner } from './learn-fills.ts'
import { LostOrders } from './lost-orders.ts'
import { OrderOwners } from './order-owners.ts'
import { OrderUpdates, type OrderUpdatesDeps } from './order-updates.ts'
import { cancelInstead, OwnCancels } from './own-cancels.ts'
import type { OwnPositions } from './own-positions.ts'
import { PendingOutcomes } from './pending-outcomes.ts'
import { PlaceOrder, type PlaceOrderDeps } from './place-order.ts'
import { Reconciler, type ReconcilerDeps } from './reconcile.ts'
import {
  type HandedOverDeps,
  HandedOverOrders,
  type RecoverDeps,
  recoverJournal,
} from './recover.ts'
import { ClientOrderIds } from './retries.ts'
import { Stops } from './stops.ts'
import type { WorkingOrderSync } from './sync-working-orders.ts'
import { UnknownCancels } from './unknown-cancels.ts'
import { WholeCloses, type WholeClosesDeps } from './whole-closes.ts'
import type { WorkingOrders } from './working-orders.ts'

interface OrderServiceDeps
  extends Pick<
      ReconcilerDeps,
      'callerPausesMs' | 'backgroundPausesMs' | 'toErrorResponse' | 'nowMs'
    >,
    Pick<HandedOverDeps, 'handedOverWaitMs'>,
    Pick<HeartbeatsDeps, 'isOwner' | 'checkEveryMs'>,
    Pick<PlaceOrderDeps, 'requireLog' | 'requireRoom' | 'fence' | 'positionModes'>,
    WholeClosesDeps,
    Pick<Upstreams, 'clocks' | 'lanes' | 'upstreams'> {
  readonly limits: PlaceOrderDeps['limits'] & RecoverDeps['limits']
  readonly journal: JournalStore
  readonly workingOrders: WorkingOrders
  readonly sync: WorkingOrderSync
  readonly fills: Pick<FillLearner, 'close' | 'orderPushed'>
  readonly orderFills: OrderUpdatesDeps['orderFills']
  readonly keys: WholeClosesDeps['keys'] & OrderUpdatesDeps['keys']
  readonly ownPositions: Pick<OwnPositions, 'endedElsewhere'>
  readonly stopStore: StopStore
  readonly audit: Pick<AuditStore, 'append'>
  readonly heartbeatStore: HeartbeatStore
  readonly time: Time
  readonly clients: Pick<ClientStore, 'find'>
  readonly cancelPausesMs?: readonly number[]
  readonly checkPausesMs?: readonly number[]
  readonly answerAfterMs?: number
  readonly facts: Pick<FactStore, 'get' | 'set'>
  readonly events: Events
}

/**
 * Creates everything that handles orders. Nothing may be placed before `start` has resolved.
 */
export function createOrderService(deps: OrderServiceDeps) {
  const parts = createOrderParts(deps)
  const { placeOrder, reconciler } = parts
  const isRunning = (id: string) => placeOrder.unwrittenEventsOf(id) !== undefined
  return {
    placeOrder,
    owners: parts.owners,
    updates: parts.updates,
    stops: parts.stops,
    ownCancels: parts.ownCancels,
    heartbeats: parts.heartbeats,
    killSwitch: parts.killSwitch,
    workingOrders: deps.workingOrders,
    handedOver: parts.handedOver,
    unknownCancels: parts.unknownCancels,
    /** Ends an order with what an administrator found. @returns false when its outcome is known */
    endUnknown: (id: string, found: FoundByAdmin) =>
      endUnknown({ ...deps, reconciler, isRunning }, id, found),
    /** What happened to an order and is in no commit yet, oldest first. */
    unwrittenEventsOf: (id: string) =>
      placeOrder.unwrittenEventsOf(id) ?? reconciler.unwrittenEventsOf(id) ?? [],
    /**
     * Resumes where the previous process left off. When it resolves, the journal is recovered, and
     * exchanges that an administrator had stopped are stopped again.
     * @param fence the number under which this node is the owner; undefined where there is no group
     */
    start: (fence?: number) => start(deps, parts, fence),
    /** Ends all look-ups, and waits until the journal has the state of every running order. */
    close: () => close(deps, parts),
  }
}

type OrderParts = ReturnType<typeof createOrderParts>

function createOrderParts(deps: OrderServiceDeps) {
  const { workingOrders, clocks, events } = deps
  const unknownCancels = new UnknownCancels()
  events.on('orderResolved', ({ order }) => unknownCancels.forget(order.id))
  events.on('orderSettled', ({ order }) => unknownCancels.forget(order.id))
  events.on('clientDeleted', ({ clientRef }) => {
    unknownCancels.forgetClient(clientRef)
    workingOrders.forgetClient(clientRef)
  })
  const lostOrders = new LostOrders(deps)
  const reconciler = new Reconciler({ ...deps, lostOrders })
  const handedOver = new HandedOverOrders(deps)
  const owners = new OrderOwners(deps)
  const pendingOutcomes = new PendingOutcomes(deps)
  const clientOrderIds = new ClientOrderIds(deps)
  workingOrders.onCancelled = (order) => clientOrderIds.cancelled(order)
  const placeOrder = new PlaceOrder({
    ...{ ...deps, reconciler, unknownCancels, lostOrders, handedOver, owners },
    ...{ pendingOutcomes, clientOrderIds, wholeCloses: new WholeCloses(deps) },
    exchangeNowMs: (exchange) => clocks[exchange].nowMs(),
    cancelInstead: (request, call, signal) => {
      const nowMs = () => clocks[request.exchange].nowMs()
      return cancelInstead(ownCancels, request, call, { nowMs, signal })
    },
  })
  const updates = new OrderUpdates({ ...deps, reconciler })
  const cancelCheck = new CancelCheck(deps)
  workingOrders.onAsked = (client, orders) => cancelCheck.checkLater(client, orders)
  const killSwitch = createKillSwitch(deps)
  const canceller = new OrderCanceller({
    ...{ ...deps, placeOrder, unknownCancels, pausesMs: deps.cancelPausesMs },
  })
  const ownCancels = new OwnCancels({ ...deps, canceller })
  const stops = new Stops({ ...deps, store: deps.stopStore, killSwitch, canceller })
  const heartbeats = new Heartbeats({ ...deps, store: deps.heartbeatStore, stops })
  return {
    ...{
      placeOrder,
      reconciler,
      lostOrders,
      handedOver,
      owners,
      unknownCancels,
      cancelCheck,
      updates,
    },
    ...{ pendingOutcomes, clientOrderIds, killSwitch, ownCancels, stops, heartbeats },
  }
}

/** As `start` of the order service: in this order, because each step needs what is before it. */
async function start(
  deps: OrderServiceDeps,
  parts: OrderParts,
  fence: number | undefined,
): Promise<void> {
  const { facts, workingOrders, ownPositions } = deps
  parts.lostOrders.start(readRestoreMark(await facts.get(RESTORE_MARK_NAME)))
  await parts.killSwitch.restore(fence)
  parts.unknownCancels.clear()
  try {
    await workingOrders.load(fence)
    await recoverJournal({ ...deps, ...parts, startedUnder: fence })
    // Nobody watches what the previous owner wrote between the two reads.
    if (fence !== undefined) await ownPositions.endedElsewhere()
  } catch (error) {
    passOverDamage(error)
  }
  try {
    await parts.stops.restore(fence)
    await parts.ownCancels.restore(fence)
    await parts.heartbeats.start(fence)
  } catch (error) {
    passOverDamage(error)
  }
}

/** As `close` of the order service. */
async function close({ fills }: OrderServiceDeps, parts: OrderParts): Promise<void> {
  parts.heartbeats.close()
  await parts.updates.close()
  await fills.close()
  await parts.stops.close()
  await parts.ownCancels.close()
  await parts.reconciler.close()
  await parts.handedOver.close()
  await parts.placeOrder.idle()
  await parts.cancelCheck.close()
  // Before the next owner reads which exchanges are stopped.
  await parts.killSwitch.close()
}
