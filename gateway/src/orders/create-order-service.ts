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
import { cancelInstead } from './cancel-instead.ts'
import { OrderCanceller } from './cancel-working-orders.ts'
import { CancelCheck } from './check-cancels.ts'
import { ClientOrderIds } from './client-order-ids.ts'
import { endUnknown, type FoundByAdmin } from './end-unknown.ts'
import { type HandedOverDeps, HandedOverOrders } from './handed-over.ts'
import { Heartbeats, type HeartbeatsDeps } from './heartbeats.ts'
import { createKillSwitch } from './kill-switch.ts'
import type { FillLearner } from './learn-fills.ts'
import { LostOrders } from './lost-orders.ts'
import { OrderOwners } from './order-owners.ts'
import { OwnCancels } from './own-cancels.ts'
import type { OwnPositions } from './own-positions.ts'
import { PendingOutcomes } from './pending-outcomes.ts'
import { PlaceOrder, type PlaceOrderDeps } from './place-order.ts'
import { Reconciler, type ReconcilerDeps } from './reconcile.ts'
import { type RecoverDeps, recoverJournal } from './recover.ts'
import { Stops } from './stops.ts'
import type { WorkingOrderSync } from './sync-working-orders.ts'
import { UnknownCancels } from './unknown-cancels.ts'
import { WholeCloses, type WholeClosesDeps } from './whole-closes.ts'
import type { WorkingOrders } from './working-orders.ts'

export interface OrderServiceDeps
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
  readonly fills: Pick<FillLearner, 'close'>
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
  const { workingOrders, facts, clocks, lanes, time } = deps
  const unknownCancels = new UnknownCancels()
  deps.events.on('orderResolved', ({ order }) => unknownCancels.forget(order.id))
  deps.events.on('orderSettled', ({ order }) => unknownCancels.forget(order.id))
  deps.events.on('clientDeleted', ({ clientRef }) => {
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
    ...deps,
    ...{
      reconciler,
      unknownCancels,
      lostOrders,
      handedOver,
      owners,
      pendingOutcomes,
      clientOrderIds,
    },
    wholeCloses: new WholeCloses(deps),
    exchangeNowMs: (exchange) => clocks[exchange].nowMs(),
    cancelInstead: (request, call, signal) =>
      cancelInstead(ownCancels, request, call, {
        ...{ nowMs: () => clocks[request.exchange].nowMs(), signal },
      }),
  })
  const cancelCheck = new CancelCheck(deps)
  workingOrders.onAsked = (client, orders) => cancelCheck.asked(client, orders)
  const killSwitch = createKillSwitch({ facts, lanes, time })
  const canceller = new OrderCanceller({
    ...{ ...deps, workingOrders, placeOrder, unknownCancels, pausesMs: deps.cancelPausesMs },
  })
  const ownCancels = new OwnCancels({ ...deps, workingOrders, canceller })
  const stops = new Stops({
    ...{ ...deps, store: deps.stopStore, workingOrders, killSwitch, canceller },
  })
  const heartbeats = new Heartbeats({ ...deps, store: deps.heartbeatStore, stops })
  const isRunning = (id: string) => placeOrder.unwrittenEventsOf(id) !== undefined
  return {
    placeOrder,
    owners,
    stops,
    ownCancels,
    heartbeats,
    killSwitch,
    workingOrders,
    handedOver,
    unknownCancels,
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
    async start(fence?: number): Promise<void> {
      lostOrders.start(readRestoreMark(await facts.get(RESTORE_MARK_NAME)))
      await killSwitch.restore(fence)
      unknownCancels.clear()
      try {
        await workingOrders.load(fence)
        await recoverJournal({
          ...{ ...deps, reconciler, unknownCancels, handedOver, pendingOutcomes, clientOrderIds },
          startedUnder: fence,
        })
        // What the previous owner wrote between the two reads is watched by nobody.
        if (fence !== undefined) await deps.ownPositions.endedElsewhere()
      } catch (error) {
        passOverDamage(error)
      }
      try {
        await stops.restore(fence)
        await ownCancels.restore(fence)
        await heartbeats.start(fence)
      } catch (error) {
        passOverDamage(error)
      }
    },
    /** Ends all look-ups, and waits until the journal has the state of every running order. */
    async close(): Promise<void> {
      heartbeats.close()
      await deps.fills.close()
      await stops.close()
      await ownCancels.close()
      await reconciler.close()
      await handedOver.close()
      await placeOrder.idle()
      await cancelCheck.close()
      // Before the next owner reads which exchanges are stopped.
      await killSwitch.close()
    },
  }
}
export type OrderService = ReturnType<typeof createOrderService>
