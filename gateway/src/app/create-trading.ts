import { toErrorResponse } from '../http/errors.ts'
import type { OwnQuantities } from '../limits/exits.ts'
import { Limits } from '../limits/limits.ts'
import { createPrices } from '../limits/prices.ts'
import type { Ownership } from '../nodes/ownership.ts'
import { createOrderService } from '../orders/create-order-service.ts'
import { FillLearner } from '../orders/learn-fills.ts'
import { contextOf } from '../orders/lookup-round.ts'
import { OrderFills } from '../orders/order-fills.ts'
import { OwnPositions } from '../orders/own-positions.ts'
import { WorkingOrderSync } from '../orders/sync-working-orders.ts'
import { WorkingOrders } from '../orders/working-orders.ts'
import { passOverDamage } from '../store/errors.ts'
import { ClientKeys } from '../upstream/client-keys.ts'
import { createUpstreams, type Upstreams } from '../upstream/create-upstreams.ts'
import type { Events } from '../upstream/events.ts'
import { PositionModes } from '../upstream/position-modes.ts'
import type { Core } from './app-options.ts'
import type { OwnerWork } from './owner.ts'

interface TradingLinks extends Pick<Upstreams, 'clocks'> {
  readonly events: Events
  /** Undefined where the database is a file. */
  readonly ownership: Ownership | undefined
  readonly ownerWork: OwnerWork
}

/** Creates what leads to the exchanges, and what handles orders. */
export async function createTrading(core: Core, links: TradingLinks) {
  const { stores, time } = core
  const { ownership, ownerWork } = links
  const nowMs = () => time.now()
  const keys = new ClientKeys(stores.apiKeys, core.vault.sealing, time)
  const exchanges = createExchanges(core, links, keys)
  const holdings = createHoldings(core, links, exchanges)
  const limits = createLimits(core, links, exchanges, keys, holdings)
  const orders = createOrders(core, links, exchanges, keys, holdings, limits)
  // A standby of PostgreSQL may have taken over since this node started.
  await ownerWork.whenOwner(() => stores.noteRestore?.(nowMs()))
  // The lanes pause first: the previous owner may have sent calls just now.
  if (ownership !== undefined) await ownerWork.whenOwner(() => exchanges.restartLanes())
  await ownerWork.whenOwner(() => limits.restore().catch(passOverDamage))
  await ownerWork.whenOwner((fence) => orders.start(fence))
  return { exchanges, limits, orders, keys }
}
export type Trading = Awaited<ReturnType<typeof createTrading>>

function createExchanges(
  { config, options, stores, time }: Core,
  { clocks, events, ownership }: TradingLinks,
  keys: ClientKeys,
): Upstreams {
  return createUpstreams({
    transport: { origins: config.upstream, timeoutMs: config.upstreamTimeoutMs },
    pace: config.lane,
    startDelayMs: options.laneStartDelayMs,
    lanePace: options.lanePace,
    maySend: ownership && (() => ownership.maySend()),
    ...{ clocks, keys, clients: stores.clients, time, events },
  })
}

/** What the gateway knows of the orders and positions that its clients have at the exchanges. */
function createHoldings(
  { stores, time }: Core,
  { clocks, events }: TradingLinks,
  { upstreams }: Upstreams,
) {
  const { clients, journal } = stores
  const positionModes = new PositionModes({
    upstreams,
    events,
    monotonicMs: () => time.monotonic(),
  })
  const ownPositions = new OwnPositions(stores.ownPositions, time, positionModes)
  const workingOrders = new WorkingOrders(stores.workingOrders, time, ownPositions)
  const orderFills = new OrderFills({ journal, events, nowMs: () => time.now() })
  const fills = new FillLearner({
    ...{ ownPositions, orderFills, upstreams, clocks, clients, events, time },
  })
  ownPositions.onUnlearnt = (clientRef, exchange) => fills.soon(clientRef, exchange)
  const sync = new WorkingOrderSync({
    ...{ workingOrders, upstreams, clocks, clients, events },
    nowMs: () => time.now(),
  })
  workingOrders.onGrown = (clientRef, exchange) => sync.grown(clientRef, exchange)
  const own: OwnQuantities = {
    openOf: (...position) => ownPositions.openOf(...position),
    hasOpen: (...place) => ownPositions.hasOpen(...place),
    learn: (...place) => fills.learn(...place),
  }
  return { positionModes, ownPositions, workingOrders, orderFills, fills, sync, own }
}
type Holdings = ReturnType<typeof createHoldings>

function createLimits(
  { stores, time }: Core,
  { events }: TradingLinks,
  exchanges: Upstreams,
  keys: ClientKeys,
  { positionModes, ownPositions, workingOrders, sync, own }: Holdings,
): Limits {
  const { clients, journal } = stores
  const limits = new Limits({
    ...{ clients, journal, events, nowMs: () => time.now(), own, keys, workingOrders },
    positionMode: async (clientRef, exchange, place) => {
      const context = await contextOf(clients, clientRef, 'positions')
      return context && positionModes.modeOf(context, exchange, place)
    },
    ...{ rules: exchanges.rules, prices: createPrices(exchanges, time) },
    sync: (clientRef, exchange, jobClass) => sync.syncOf(clientRef, exchange, jobClass),
    listsReadAtMs: (clientRef, exchange) => sync.readAtMs(clientRef, exchange),
  })
  ownPositions.onExitLearnt = (exit) => limits.exitLearnt(exit)
  return limits
}

function createOrders(
  { options, stores, time }: Core,
  { events, ownership }: TradingLinks,
  { clocks, lanes, upstreams }: Upstreams,
  keys: ClientKeys,
  holdings: Holdings,
  limits: Limits,
) {
  const nowMs = () => time.now()
  const { audit, clients, facts, journal } = stores
  return createOrderService({
    ...holdings,
    ...{ limits, clocks, lanes, upstreams, keys, events, time, nowMs, toErrorResponse },
    ...{ audit, clients, facts, journal },
    ...{ stopStore: stores.stops, heartbeatStore: stores.heartbeats },
    fence: () => ownership?.fence(),
    isOwner: () => ownership?.maySend() ?? true,
    requireRoom: () => stores.file?.requireRoom(),
    requireLog: async () => {
      stores.requireSound()
      await stores.log.requireWritable(nowMs())
    },
    ...options.reconcile,
    ...options.stops,
    ...options.heartbeats,
  })
}
