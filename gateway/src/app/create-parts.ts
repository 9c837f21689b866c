import { dirname, join } from 'node:path'
import type { Config } from '../config.ts'
import { eachExchange } from '../exchanges/each-exchange.ts'
import { limitConnections } from '../http/connection-limit.ts'
import { watchConnections } from '../http/open-connections.ts'
import { refusePlainHttp } from '../http/plain-http.ts'
import { watchProxies } from '../http/proxies.ts'
import { createServer } from '../http/server.ts'
import { toErrorResponse } from '../http/to-error-response.ts'
import type { OwnQuantities } from '../limits/exits.ts'
import { Limits } from '../limits/limits.ts'
import { createPrices } from '../limits/prices.ts'
import type { OwnerView } from '../nodes/owner-view.ts'
import type { Ownership } from '../nodes/ownership.ts'
import { createOrderService } from '../orders/create-order-service.ts'
import { FillLearner } from '../orders/learn-fills.ts'
import { contextOf } from '../orders/lookup-round.ts'
import { OwnPositions } from '../orders/own-positions.ts'
import { WorkingOrderSync } from '../orders/sync-working-orders.ts'
import { WorkingOrders } from '../orders/working-orders.ts'
import { createFirstAdmin } from '../plugins/auth/first-admin.ts'
import { createStores } from '../store/create-stores.ts'
import { passOverDamage } from '../store/errors.ts'
import type { Stores } from '../store/stores.ts'
import { systemTime, type Time } from '../time.ts'
import { ClientKeys } from '../upstream/client-keys.ts'
import { createExchangeClock } from '../upstream/clock.ts'
import { createUpstreams, type UpstreamsDeps } from '../upstream/create-upstreams.ts'
import type { Events } from '../upstream/events.ts'
import { PositionModes } from '../upstream/position-modes.ts'
import { createVault, type Vault } from '../vault/create-vault.ts'
import { createAnnouncedNode } from './announced-node.ts'
import type { AppOptions } from './app-options.ts'
import { createOwnership, endWhenReplaced } from './become-owner.ts'
import { createEvents, createWatching, startTracing } from './create-observers.ts'
import { joinGroup } from './join-group.ts'
import { createOwnerWork, type OwnerWork } from './owner-work.ts'
import { keepReserve, watchFile, watchMasterKeys } from './watch-files.ts'

const ALONE: OwnerView = { owner: () => 'self' }

/** Creates what the plugins use, and resumes where the last process left off. */
export async function createParts(config: Config, options: AppOptions) {
  const { time = systemTime } = options
  const nowMs = () => time.now()
  const stores = await createStores(
    config.databaseUrl,
    options.storePatienceMs,
    config.diskReserveBytes,
  )
  // Whatever is written later would hide when the last event before a restore was.
  await stores.noteRestore?.(nowMs())
  const { facts, admins, file } = stores
  const defaultFile = file === undefined ? undefined : join(dirname(file.path), 'master.key')
  const keySource = { ...config.masterKey, defaultFile, facts }
  const vault = await createVault(keySource, options.passwordCost)
  const app = await createServer({
    consoleOrigins: config.consoleOrigins,
    trustProxy: config.trustProxy,
    logger: options.logger ?? false,
    isInGroup: config.node !== undefined,
  })
  const connections = limitConnections(app.server, config.connections, config.trustProxy)
  refusePlainHttp(app, config)
  const proxyWarnings = watchProxies(app, config.trustProxy)
  const openConnections = watchConnections(app, connections, time)
  const tracing = await startTracing(app, config)
  const clocks = eachExchange(() =>
    createExchangeClock({ monotonicMs: () => time.monotonic(), wallMs: nowMs }),
  )
  const { ring } = vault
  const ofOwner = { log: app.log, time, times: options.ownershipTimes }
  const ownership = createOwnership(stores, config, ofOwner)
  const self = createAnnouncedNode({ app, config, options, stores, ring, ownership, time })
  const watching = createWatching({
    ...{ app, config, options, stores, clocks, time },
    self: () => self.facts(),
  })
  const { alerts } = watching
  const announceKeys = stores.announceKeys ?? (() => self.announce())
  const stopWatchingKeys = await watchMasterKeys(app, ring, announceKeys, alerts, options)
  watchFile(app, file, alerts)
  const stopKeepingReserve = keepReserve(app, file?.reserve, alerts, time)
  if (config.firstAdmin !== undefined)
    await createFirstAdmin({ admins, passwords: vault.passwords, nowMs }, config.firstAdmin).catch(
      passOverDamage,
    )
  endWhenReplaced(stores, app.log, options)
  const events = createEvents(app, watching, config.lane.ratePerSecond, tracing)
  const ownerWork = createOwnerWork(ownership === undefined)
  const deps = { stores, vault, clocks, events, time, ownership, ownerWork }
  const { exchanges, limits, orders } = await createTrading(config, options, deps)
  const { ownerView = ownership ?? ALONE } = options
  const group = joinGroup({
    ...{ app, config, ownerView, ring, time, times: options.passingTimes },
    onPassed: watching.measured.nodes.passed,
    canWrite: () => stores.log.writable().ok,
    endHandedOver: (id) => orders.handedOver.end(id),
    responded: openConnections.responded,
  })
  return {
    app,
    config,
    time,
    nowMs,
    stores,
    /** Whether the disk of a database file is full and the gateway writes into its reserve. */
    isOnReserve: () => file?.isOnReserve() === true,
    vault,
    connections,
    group,
    owner: () => ownerView.owner(),
    ownership,
    ownerWork,
    self,
    /** What the metrics say of this node. */
    nodeNow: () => ({
      isOwner: ownerView.owner() === 'self',
      fence: ownership?.maySend() === true ? ownership.fence() : 0,
      parked: group?.parkedCount() ?? 0,
    }),
    ...{ openConnections, proxyWarnings, tracing, watching },
    events,
    stopWatchingKeys,
    stopKeepingReserve,
    exchanges,
    limits,
    orders,
    sampleEveryMs: options.sampleEveryMs,
    newKeyWaitMs: options.newKeyWaitMs,
  }
}

export type Parts = Awaited<ReturnType<typeof createParts>>

interface TradingDeps {
  readonly stores: Stores
  readonly vault: Vault
  readonly clocks: UpstreamsDeps['clocks']
  readonly events: Events
  readonly time: Time
  readonly ownership: Ownership | undefined
  readonly ownerWork: OwnerWork
}

/** Creates what leads to the exchanges, and what handles orders. */
async function createTrading(
  config: Config,
  options: AppOptions,
  { stores, vault, clocks, events, time, ownership, ownerWork }: TradingDeps,
) {
  const nowMs = () => time.now()
  const keys = new ClientKeys(stores.apiKeys, vault.sealing, time)
  const exchanges = createUpstreams({
    transport: { origins: config.upstream, timeoutMs: config.upstreamTimeoutMs },
    pace: config.lane,
    startDelayMs: options.laneStartDelayMs,
    lanePace: options.lanePace,
    maySend: ownership && (() => ownership.maySend()),
    clocks,
    keys,
    clients: stores.clients,
    time,
    events,
  })
  const { upstreams } = exchanges
  const monotonicMs = () => time.monotonic()
  const positionModes = new PositionModes({ upstreams, events, monotonicMs })
  const ownPositions = new OwnPositions(stores.ownPositions, time, positionModes)
  const workingOrders = new WorkingOrders(stores.workingOrders, time, ownPositions)
  const { clients } = stores
  const fills = new FillLearner({ ownPositions, upstreams, clocks, clients, events, time })
  ownPositions.onUnlearnt = (clientRef, exchange) => fills.soon(clientRef, exchange)
  const sync = new WorkingOrderSync({ workingOrders, upstreams, clocks, clients, events, nowMs })
  workingOrders.onGrown = (clientRef, exchange) => sync.grown(clientRef, exchange)
  const own: OwnQuantities = {
    openOf: (...position) => ownPositions.openOf(...position),
    hasOpen: (...place) => ownPositions.hasOpen(...place),
    learn: (...place) => fills.learn(...place),
  }
  const limits = new Limits({
    ...{ clients, journal: stores.journal, events, nowMs, own, keys },
    positionMode: async (clientRef, exchange, place) => {
      const context = await contextOf(clients, clientRef, 'positions')
      return context && positionModes.modeOf(context, exchange, place)
    },
    ...{ rules: exchanges.rules, prices: createPrices(exchanges, time) },
    workingOrders,
    sync: (clientRef, exchange, jobClass) => sync.syncOf(clientRef, exchange, jobClass),
    listsReadAtMs: (clientRef, exchange) => sync.readAtMs(clientRef, exchange),
  })
  ownPositions.onExitLearnt = (exit) => limits.exitLearnt(exit)
  const orders = createOrderService({
    ...{ limits, own, positionModes },
    fence: () => ownership?.fence(),
    isOwner: () => ownership?.maySend() ?? true,
    clocks,
    lanes: exchanges.lanes,
    upstreams: exchanges.upstreams,
    journal: stores.journal,
    workingOrders,
    ...{
      sync,
      fills,
      ownPositions,
      clients,
      keys,
      stopStore: stores.stops,
      audit: stores.audit,
      heartbeatStore: stores.heartbeats,
    },
    time,
    requireRoom: () => stores.file?.requireRoom(),
    requireLog: async () => {
      stores.requireSound()
      await stores.log.requireWritable(nowMs())
    },
    facts: stores.facts,
    events,
    toErrorResponse,
    nowMs,
    ...options.reconcile,
    ...options.stops,
    ...options.heartbeats,
  })
  // A standby of PostgreSQL may have taken over since this node started.
  await ownerWork.whenOwner(() => stores.noteRestore?.(nowMs()))
  // The lanes pause first: the previous owner may have sent calls just now.
  if (ownership !== undefined) await ownerWork.whenOwner(() => exchanges.restartLanes())
  await ownerWork.whenOwner(() => limits.restore().catch(passOverDamage))
  await ownerWork.whenOwner((fence) => orders.start(fence))
  return { exchanges, limits, orders }
}
