import { dirname, join } from 'node:path'
import type { FastifyInstance, FastifyServerOptions } from 'fastify'
import { EXCHANGES } from 'schema'
import { alertOnEvents } from './alerts/alert-on-events.ts'
import { createAlerting } from './alerts/create-alerting.ts'
import { type Config, isPaper } from './config.ts'
import { eachExchange } from './exchanges/each-exchange.ts'
import { healthRoutes } from './http/health.ts'
import { describeRoutes } from './http/openapi.ts'
import { countPendingResponses } from './http/pending-responses.ts'
import { createServer } from './http/server.ts'
import { signInAttemptOf } from './http/sign-in-attempt.ts'
import { toErrorResponse } from './http/to-error-response.ts'
import { type DiskSpace, readDiskSpace } from './operations/disk-space.ts'
import { startHousekeeping } from './operations/housekeeping.ts'
import { createOrderService } from './orders/create-order-service.ts'
import type { ReconcilerDeps } from './orders/reconcile.ts'
import { admin } from './plugins/admin/index.ts'
import { createFirstAdmin } from './plugins/auth/first-admin.ts'
import { auth } from './plugins/auth/index.ts'
import { dropIn } from './plugins/drop-in/index.ts'
import { logs } from './plugins/logs/index.ts'
import { metrics } from './plugins/metrics/index.ts'
import { measureEvents } from './plugins/metrics/measure-events.ts'
import { createMetrics } from './plugins/metrics/metrics.ts'
import { proxyBg } from './plugins/proxy-bg/index.ts'
import { proxyMx } from './plugins/proxy-mx/index.ts'
import { requests } from './plugins/requests/index.ts'
import { stats } from './plugins/stats/index.ts'
import { createStores } from './store/create-stores.ts'
import { passOverDamage } from './store/damage.ts'
import { createClientKeys } from './upstream/client-keys.ts'
import { createExchangeClock } from './upstream/clock.ts'
import { createUpstreams, type UpstreamsDeps } from './upstream/create-upstreams.ts'
import { Events } from './upstream/events.ts'
import { logEvents } from './upstream/log-events.ts'
import { createVault } from './vault/create-vault.ts'
import { watchKeys } from './vault/key-watch.ts'

export interface AppOptions {
  readonly logger?: FastifyServerOptions['logger']
  /** The wall clock; Date.now by default. */
  readonly nowMs?: () => number
  /** Time between two looks at the key file, for tests. */
  readonly keyLookEveryMs?: number
  /** Quiet before a lane's first call; tests that start no second process set 0. */
  readonly laneStartDelayMs?: number
  /** Another time and another gate for the lanes, for tests. */
  readonly laneParts?: UpstreamsDeps['laneParts']
  /** How long writes wait for another process that holds the database; 5 s by default. */
  readonly storePatienceMs?: number
  /** Shorter pauses between questions about orders of unknown outcome, for tests. */
  readonly reconcile?: Pick<ReconcilerDeps, 'callerPausesMs' | 'backgroundPausesMs'>
  /** Shorter pauses between looks and attempts, and another disk, for tests. */
  readonly alerts?: {
    readonly checkEveryMs?: number
    readonly pausesMs?: readonly number[]
    readonly diskSpace?: () => Promise<DiskSpace | undefined>
  }
}

/**
 * The whole gateway, ready to listen: makes the parts, registers the plugins in order, closes both.
 * @throws with a sentence for the operator when the store or the master key cannot be used
 */
export async function buildApp(config: Config, options: AppOptions = {}): Promise<FastifyInstance> {
  const nowMs = options.nowMs ?? Date.now
  const monotonicMs = () => performance.now()
  const { ratePerSecond } = config.lane
  const stores = createStores(config.databaseUrl, options.storePatienceMs)
  const { facts, admins, adminSessions, clients, tokens, apiKeys, log, journal } = stores
  const { ring, sealing, secrets, passwords, tokenKeys } = await createVault({
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
  const tracing =
    config.tracing === undefined
      ? undefined
      : (await import('./tracing/tracing.ts')).startTracing(app, config.tracing)
  if (ring.isNew)
    app.log.warn(
      { file: ring.file },
      'a new master key was created: keep a copy apart from the database, nothing stored can be opened without it',
    )

  const measured = createMetrics(ratePerSecond)
  const diskSpace = options.alerts?.diskSpace ?? (() => readDiskSpace(stores.path))
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
  const stopWatchingKeys = await watchKeys({
    ring,
    facts,
    onChange: (keyIds) => {
      app.log.info({ keyIds }, 'the master key file was read again')
      alerts.keyFile.loaded()
    },
    onError: (error) => {
      app.log.error({ err: error }, 'the master key file cannot be used')
      alerts.keyFile.rejected()
    },
    onUnrecorded: (error) =>
      app.log.error(
        { err: error },
        'the master keys are loaded, but this cannot be recorded in the database',
      ),
    everyMs: options.keyLookEveryMs,
  })
  stores.onDamage((error) => {
    app.log.error({ err: error }, 'the database is damaged')
    alerts.storeDamaged()
  })
  // After the keys were announced: a damaged database is not written any more, and the start would end there.
  stores.checkPages()
  if (config.firstAdmin !== undefined)
    await createFirstAdmin({ admins, passwords, nowMs }, config.firstAdmin).catch(passOverDamage)
  const events = new Events(app.log)
  logEvents(events, app.log)
  measureEvents(events, measured)
  alertOnEvents(events, alerts)
  if (tracing !== undefined) events.on('call', tracing.called)

  const exchanges = createUpstreams({
    transport: { origins: config.upstream, timeoutMs: config.upstreamTimeoutMs },
    pace: config.lane,
    startDelayMs: options.laneStartDelayMs,
    laneParts: options.laneParts,
    clocks,
    keys: createClientKeys({ apiKeys, sealing }),
    clients,
    monotonicMs,
    events,
  })
  const { lanes, upstreams, rules } = exchanges
  const orders = await createOrderService({
    clocks,
    lanes,
    upstreams,
    journal,
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
  const { placeOrder, killSwitch } = orders

  let isClosing = false
  await describeRoutes(app)
  await app.register(auth, {
    admins,
    adminSessions,
    clients,
    tokenStore: tokens,
    secrets,
    passwords,
    tokenKeys,
    nowMs,
  })
  await app.register(logs, { log, lanes, ratePerSecond, nowMs })
  app.addHook('onResponse', async (request, reply) => {
    const attempt = signInAttemptOf(request, reply)
    if (attempt !== undefined) alerts.signInAttempted(attempt, request.ip)
  })
  app.addHook('onReady', async () => alerts.start())
  await app.register(metrics, {
    metrics: measured,
    token: config.metricsToken,
    lanes,
    clocks,
    journal,
    log,
    board: alerts.board,
    diskSpace,
  })
  await app.register(admin, {
    clients,
    tokens,
    secrets,
    journal,
    apiKeys,
    sealing,
    upstreams,
    clocks,
    lanes,
    killSwitch,
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
    ratePerSecond,
    nowMs,
  })
  await app.register(proxyMx, { upstream: upstreams.mx, rules, placeOrder })
  await app.register(proxyBg, { upstream: upstreams.bg, rules, placeOrder, nowMs })
  await app.register(dropIn, { upstreams, placeOrder })
  await app.register(requests, { journal, lanes, placeOrder })
  healthRoutes(app, [
    () => (isClosing ? 'the gateway is shutting down' : undefined),
    async () => {
      stores.requireSound()
      const writable = await log.probe(nowMs())
      return writable.ok ? undefined : `the store cannot be written: ${writable.error.message}`
    },
    () =>
      stores.pendingMigrations() === 0
        ? undefined
        : 'migrations are pending: the database is not the one that was opened; restart the gateway',
    async () => {
      await ring.current()
      return undefined
    },
    ...EXCHANGES.map((exchange) => () => {
      const { state, reason } = lanes[exchange].snapshot()
      return state === 'stuck' ? (reason ?? state) : undefined
    }),
  ])

  const stopHousekeeping = startHousekeeping({
    log,
    tokens,
    journal,
    sessions: adminSessions,
    logRetentionMs: config.logRetentionMs,
    nowMs,
    onError: (error) => app.log.error({ err: error }, 'housekeeping failed'),
  })
  app.addHook('onListen', async () => {
    void exchanges.measureClocks()
  })
  // Waiting requests are answered and sent ones are waited for while the server still can answer.
  app.addHook('preClose', async () => {
    isClosing = true
    stopHousekeeping()
    stopWatchingKeys()
    await exchanges.closeLanes(config.upstreamTimeoutMs)
    await orders.close()
    await pendingResponses.done()
    await alerts.close()
    await tracing?.close()
  })
  app.addHook('onClose', async () => {
    await killSwitch.close()
    await log.flush()
    await exchanges.close()
    stores.close()
  })
  return app
}
