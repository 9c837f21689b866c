import { dirname, join } from 'node:path'
import type { FastifyInstance, FastifyServerOptions } from 'fastify'
import { EXCHANGES } from 'schema'
import { alertOnEvents } from './alerts/alert-on-events.ts'
import { type Alerting, createAlerting } from './alerts/create-alerting.ts'
import { type Config, isPaper } from './config.ts'
import { eachExchange } from './exchanges/each-exchange.ts'
import { healthRoutes, type ReadinessCheck } from './http/health.ts'
import { describeRoutes } from './http/openapi.ts'
import { countPendingResponses } from './http/pending-responses.ts'
import { createServer } from './http/server.ts'
import { signInAttemptOf } from './http/sign-in-attempt.ts'
import { toErrorResponse } from './http/to-error-response.ts'
import { type DiskSpace, readDiskSpace } from './operations/disk-space.ts'
import { warnOfRate } from './operations/rate-setting.ts'
import type { RunRegularlyOptions } from './operations/run-regularly.ts'
import { startTasks } from './operations/start-tasks.ts'
import { createOrderService } from './orders/create-order-service.ts'
import type { ReconcilerDeps } from './orders/reconcile.ts'
import { admin } from './plugins/admin/index.ts'
import { createFirstAdmin } from './plugins/auth/first-admin.ts'
import { auth } from './plugins/auth/index.ts'
import { dropIn } from './plugins/drop-in/index.ts'
import { logs } from './plugins/logs/index.ts'
import { createLogReader } from './plugins/logs/log-reader.ts'
import { metrics } from './plugins/metrics/index.ts'
import { measureEvents } from './plugins/metrics/measure-events.ts'
import { createMetrics } from './plugins/metrics/metrics.ts'
import { proxyBg } from './plugins/proxy-bg/index.ts'
import { proxyMx } from './plugins/proxy-mx/index.ts'
import { requests } from './plugins/requests/index.ts'
import { stats } from './plugins/stats/index.ts'
import { createStores, type Stores } from './store/create-stores.ts'
import { passOverDamage } from './store/damage.ts'
import type { Tracing } from './tracing/tracing.ts'
import { createClientKeys } from './upstream/client-keys.ts'
import { createExchangeClock } from './upstream/clock.ts'
import { createUpstreams, type UpstreamsDeps } from './upstream/create-upstreams.ts'
import { Events } from './upstream/events.ts'
import { logEvents } from './upstream/log-events.ts'
import { createVault } from './vault/create-vault.ts'
import type { KeyRing } from './vault/key-ring.ts'
import { watchKeys } from './vault/key-watch.ts'

export interface AppOptions {
  readonly logger?: FastifyServerOptions['logger']
  /** The wall clock; Date.now by default. */
  readonly nowMs?: () => number
  /** The time between two looks at the key file, for tests. */
  readonly keyLookEveryMs?: number
  /** The pause before a lane's first call; tests that start no second process set 0. */
  readonly laneStartDelayMs?: number
  /** Another clock and another gate for the lanes, for tests. */
  readonly laneParts?: UpstreamsDeps['laneParts']
  /** How long writes wait for another process that holds the database; 5 s by default. */
  readonly storePatienceMs?: number
  /** Shorter pauses between look-ups of orders with an unknown outcome, for tests. */
  readonly reconcile?: Pick<ReconcilerDeps, 'callerPausesMs' | 'backgroundPausesMs'>
  /** Other pauses between removals of old rows, for tests and measurements. */
  readonly housekeeping?: Pick<RunRegularlyOptions, 'firstAfterMs' | 'everyMs'>
  /** Shorter pauses between readings of when keys expire, for tests. */
  readonly keyExpiry?: Pick<RunRegularlyOptions, 'firstAfterMs' | 'everyMs'>
  /** Shorter pauses between checks and between attempts, and another disk, for tests. */
  readonly alerts?: {
    readonly checkEveryMs?: number
    readonly pausesMs?: readonly number[]
    readonly diskSpace?: () => Promise<DiskSpace | undefined>
  }
}

type Parts = Awaited<ReturnType<typeof createParts>>
type Watching = ReturnType<typeof createWatching>

const monotonicMs = () => performance.now()

/**
 * The whole gateway, ready to listen: creates the parts, registers the plugins in order, closes
 * both.
 * @throws with a sentence for the operator when the store or the master key cannot be used
 */
export async function buildApp(config: Config, options: AppOptions = {}): Promise<FastifyInstance> {
  const parts = await createParts(config, options)
  const { app, exchanges } = parts
  const closing = new AbortController()
  await registerPlugins(parts, config)
  healthRoutes(app, readinessChecks(parts, closing.signal))
  app.addHook('onListen', async () => {
    warnOfRate(app.log, config.lane.ratePerSecond)
    void exchanges.measureClocks()
  })
  const stopTasks = startTasks({
    ...{ stores: parts.stores, upstreams: exchanges.upstreams, nowMs: parts.nowMs },
    ...{ logRetentionMs: config.logRetentionMs, log: app.log },
    ...{ housekeepingTimes: options.housekeeping, keyExpiryTimes: options.keyExpiry },
  })
  closeInOrder(parts, config, closing, stopTasks)
  return app
}

/** Creates what the plugins use, and resumes where the last process left off. */
async function createParts(config: Config, options: AppOptions) {
  const nowMs = options.nowMs ?? Date.now
  const stores = createStores(config.databaseUrl, options.storePatienceMs)
  const { facts, admins, log } = stores
  const vault = await createVault({
    ...config.masterKey,
    defaultFile: join(dirname(stores.path), 'master.key'),
    facts,
  })
  const app = await createServer({
    consoleOrigins: config.consoleOrigins,
    trustProxy: config.trustProxy,
    logger: options.logger ?? false,
  })
  const pendingResponses = countPendingResponses(app)
  const tracing = await startTracing(app, config)
  const watching = createWatching(app, config, options, stores)
  const { alerts, clocks } = watching
  const stopWatchingKeys = await watchMasterKeys(app, vault.ring, facts, alerts, options)
  watchDamage(app, stores, alerts)
  if (config.firstAdmin !== undefined)
    await createFirstAdmin({ admins, passwords: vault.passwords, nowMs }, config.firstAdmin).catch(
      passOverDamage,
    )
  const events = createEvents(app, watching, tracing)

  const exchanges = createUpstreams({
    transport: { origins: config.upstream, timeoutMs: config.upstreamTimeoutMs },
    pace: config.lane,
    startDelayMs: options.laneStartDelayMs,
    laneParts: options.laneParts,
    clocks,
    keys: createClientKeys({ apiKeys: stores.apiKeys, sealing: vault.sealing }),
    clients: stores.clients,
    monotonicMs,
    events,
  })
  const orders = await createOrderService({
    clocks,
    lanes: exchanges.lanes,
    upstreams: exchanges.upstreams,
    journal: stores.journal,
    requireLog: async () => {
      stores.requireSound()
      await log.requireWritable(nowMs())
    },
    facts,
    events,
    toErrorResponse,
    nowMs,
    ...options.reconcile,
  })
  return {
    app,
    nowMs,
    stores,
    vault,
    pendingResponses,
    tracing,
    watching,
    stopWatchingKeys,
    exchanges,
    orders,
  }
}

/** Loads OpenTelemetry only when a collector is configured. */
async function startTracing(
  app: FastifyInstance,
  { tracing }: Config,
): Promise<Tracing | undefined> {
  if (tracing === undefined) return undefined
  const module = await import('./tracing/tracing.ts')
  return module.startTracing(app, tracing)
}

/** Creates metrics and alerts, and what both of them observe. */
function createWatching(
  app: FastifyInstance,
  config: Config,
  options: AppOptions,
  { path, apiKeys }: Stores,
) {
  const nowMs = options.nowMs ?? Date.now
  const measured = createMetrics(config.lane.ratePerSecond)
  const diskSpace = options.alerts?.diskSpace ?? (() => readDiskSpace(path))
  const clocks = eachExchange(() => createExchangeClock({ monotonicMs, wallMs: nowMs }))
  const alerts = createAlerting({
    webhook: config.alertWebhook,
    pausesMs: options.alerts?.pausesMs,
    checkEveryMs: options.alerts?.checkEveryMs,
    log: app.log,
    nowMs,
    apiKeys,
    clocks,
    diskSpace,
    onSent: measured.alerts.ended,
  })
  return { measured, diskSpace, clocks, alerts }
}

/** Loads new master keys while the gateway runs. @returns a function that stops the watch */
function watchMasterKeys(
  { log }: FastifyInstance,
  ring: KeyRing,
  facts: Stores['facts'],
  { keyFile }: Pick<Alerting, 'keyFile'>,
  { keyLookEveryMs }: AppOptions,
): Promise<() => void> {
  if (ring.isNew)
    log.warn(
      { file: ring.file },
      'a new master key was created: keep a copy apart from the database, nothing stored can be opened without it',
    )
  return watchKeys({
    ring,
    facts,
    onChange: (keyIds) => {
      log.info({ keyIds }, 'the master key file was read again')
      keyFile.loaded()
    },
    onError: (error) => {
      log.error({ err: error }, 'the master key file cannot be used')
      keyFile.rejected()
    },
    onUnrecorded: (error) =>
      log.error(
        { err: error },
        'the master keys are loaded, but this cannot be recorded in the database',
      ),
    everyMs: keyLookEveryMs,
  })
}

/**
 * Call it after the keys are recorded: a damaged database is not written any more, and the start
 * would fail there.
 */
function watchDamage(
  { log }: FastifyInstance,
  stores: Stores,
  alerts: Pick<Alerting, 'storeDamaged'>,
): void {
  stores.onDamage((error) => {
    log.error({ err: error }, 'the database is damaged')
    alerts.storeDamaged()
  })
  stores.checkPages()
}

/** The event source, with all observers subscribed: log, metrics, alerts and traces. */
function createEvents(
  { log }: FastifyInstance,
  { measured, alerts }: Watching,
  tracing: Tracing | undefined,
): Events {
  const events = new Events(log)
  logEvents(events, log)
  measureEvents(events, measured)
  alertOnEvents(events, alerts)
  if (tracing !== undefined) events.on('call', tracing.called)
  return events
}

/** Registers the plugins. `auth` and `logs` work on the routes that are registered after them. */
async function registerPlugins(parts: Parts, config: Config): Promise<void> {
  const { app, nowMs, exchanges } = parts
  const { placeOrder } = parts.orders
  const { upstreams, lanes, rules } = exchanges
  describeRoutes(app)
  await registerGuards(parts, config)
  await registerOperations(parts, config)
  await app.register(proxyMx, { upstream: upstreams.mx, rules, placeOrder })
  await app.register(proxyBg, { upstream: upstreams.bg, rules, placeOrder, nowMs })
  await app.register(dropIn, { upstreams, placeOrder })
  await app.register(requests, { journal: parts.stores.journal, lanes, placeOrder })
}

/**
 * Registers what runs around the routes that come later: authentication, the request log, sign-in
 * alerts.
 */
async function registerGuards(parts: Parts, { lane }: Config): Promise<void> {
  const { app, nowMs, stores, vault, exchanges, watching } = parts
  const { alerts } = watching
  await app.register(auth, {
    admins: stores.admins,
    adminSessions: stores.adminSessions,
    clients: stores.clients,
    tokenStore: stores.tokens,
    secrets: vault.secrets,
    passwords: vault.passwords,
    tokenKeys: vault.tokenKeys,
    nowMs,
  })
  await app.register(logs, {
    log: stores.log,
    reader: createLogReader(stores),
    lanes: exchanges.lanes,
    ratePerSecond: lane.ratePerSecond,
    nowMs,
  })
  app.addHook('onResponse', (request, reply, done) => {
    const attempt = signInAttemptOf(request, reply)
    if (attempt !== undefined) alerts.signInAttempted(attempt, request.ip)
    done()
  })
  app.addHook('onReady', async () => alerts.start())
}

/** Registers the routes of operators and of the console. */
async function registerOperations(parts: Parts, config: Config): Promise<void> {
  const { app, nowMs, stores, vault, exchanges, orders, watching } = parts
  const { clients, tokens, journal, log, apiKeys } = stores
  const { lanes, upstreams, clocks } = exchanges
  await app.register(metrics, {
    metrics: watching.measured,
    token: config.metricsToken,
    lanes,
    clocks,
    journal,
    log,
    apiKeys,
    board: watching.alerts.board,
    diskSpace: watching.diskSpace,
    nowMs,
  })
  await app.register(admin, {
    clients,
    tokens,
    secrets: vault.secrets,
    journal,
    apiKeys,
    sealing: vault.sealing,
    upstreams,
    clocks,
    lanes,
    killSwitch: orders.killSwitch,
    dropQueued: (clientId, reason) => {
      for (const exchange of EXCHANGES) lanes[exchange].dropClient(clientId, reason)
    },
    nowMs,
  })
  await app.register(stats, {
    log,
    tokens,
    lanes,
    isPaper: (exchange) => isPaper(config, exchange),
    ratePerSecond: config.lane.ratePerSecond,
    nowMs,
  })
}

function readinessChecks(
  { stores, vault, exchanges, nowMs }: Parts,
  closing: AbortSignal,
): ReadinessCheck[] {
  return [
    () => (closing.aborted ? 'the gateway is shutting down' : undefined),
    async () => {
      stores.requireSound()
      const writable = await stores.log.probe(nowMs())
      return writable.ok ? undefined : `the store cannot be written: ${writable.error.message}`
    },
    () =>
      stores.pendingMigrations() === 0
        ? undefined
        : 'migrations are pending: the database is not the one that was opened; restart the gateway',
    async () => {
      await vault.ring.current()
      return undefined
    },
    ...EXCHANGES.map((exchange) => () => {
      const { state, reason } = exchanges.lanes[exchange].snapshot()
      return state === 'stuck' ? (reason ?? state) : undefined
    }),
  ]
}

/** Closes everything in the order in which the parts need each other. */
function closeInOrder(
  parts: Parts,
  config: Config,
  closing: AbortController,
  stopTasks: () => void,
): void {
  const { app, stores, exchanges, orders, pendingResponses, tracing, watching } = parts
  // While the server can still respond: queued requests are rejected, and sent ones get their
  // response.
  app.addHook('preClose', async () => {
    closing.abort()
    stopTasks()
    parts.stopWatchingKeys()
    await exchanges.closeLanes(config.upstreamTimeoutMs)
    await orders.close()
    await pendingResponses.done()
    await watching.alerts.close()
    await tracing?.close()
  })
  app.addHook('onClose', async () => {
    await orders.killSwitch.close()
    await stores.log.flush()
    await exchanges.close()
    stores.close()
  })
}
