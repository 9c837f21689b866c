import { dirname, join } from 'node:path'
import type { FastifyInstance, FastifyServerOptions } from 'fastify'
import { EXCHANGE_NAMES, EXCHANGES, type ExchangeCode } from 'schema'
import { createAlertBoard } from './alerts/alert-board.ts'
import { createAlerts } from './alerts/alerts.ts'
import { createWebhook } from './alerts/webhook.ts'
import { type Config, isPaper } from './config.ts'
import { type DiskSpace, readDiskSpace } from './disk-space.ts'
import { createExchangeClock } from './exchanges/clock.ts'
import { createRulesCache } from './exchanges/rules-cache.ts'
import { readRules, rulesCall } from './exchanges/symbol-rules.ts'
import { createTransport } from './exchanges/transport.ts'
import { startHousekeeping } from './housekeeping.ts'
import { toErrorBody } from './http/errors.ts'
import { healthRoutes } from './http/health.ts'
import { countOpenAnswers } from './http/open-answers.ts'
import { describeRoutes } from './http/openapi.ts'
import { createServer } from './http/server.ts'
import { signInAttemptOf } from './http/sign-in-attempt.ts'
import { createLane } from './lane/lane.ts'
import { createLaneTime } from './lane/lane-time.ts'
import type { LaneEvent } from './lane/lane-types.ts'
import { admin } from './plugins/admin/index.ts'
import { auth } from './plugins/auth/index.ts'
import { dropIn } from './plugins/drop-in/index.ts'
import { logs } from './plugins/logs/index.ts'
import { metrics } from './plugins/metrics/index.ts'
import { createMetrics } from './plugins/metrics/metrics.ts'
import { proxyBg } from './plugins/proxy-bg/index.ts'
import { proxyMx } from './plugins/proxy-mx/index.ts'
import { requests } from './plugins/requests/index.ts'
import { stats } from './plugins/stats/index.ts'
import { jsonAnswer, type StoredAnswer } from './relay/answer.ts'
import { createClientKeys } from './relay/client-keys.ts'
import { type Delivery, judgeDelivery } from './relay/delivery.ts'
import { createKillSwitch } from './relay/kill-switch.ts'
import { createPlaceOnce } from './relay/place-once.ts'
import { createReconciler, type ReconcilerDeps } from './relay/reconciler.ts'
import { recoverJournal } from './relay/recover.ts'
import { createRelay } from './relay/relay.ts'
import { createAdminSessionStore } from './store/admin-session-store.ts'
import { createAdminStore } from './store/admin-store.ts'
import { createApiKeyStore } from './store/api-key-store.ts'
import { createClientStore } from './store/client-store.ts'
import { databasePath } from './store/database-path.ts'
import { createJournalStore } from './store/journal-store.ts'
import { lockStore } from './store/lock.ts'
import { createLogStore } from './store/log-store.ts'
import { openStore } from './store/open.ts'
import { createSettingsStore } from './store/settings-store.ts'
import { createTokenStore } from './store/token-store.ts'
import { clientSecretKey, createClientSecrets } from './vault/client-secret.ts'
import { openKeyRing } from './vault/key-ring.ts'
import { watchKeys } from './vault/key-watch.ts'
import { createPasswords } from './vault/password.ts'
import { createSealing } from './vault/sealing.ts'
import { createTokenKeys } from './vault/token-keys.ts'

/** Jobs that may wait for one exchange; the wait itself is bounded much earlier at 2 per second. */
const QUEUE_LENGTH_MAX = 10_000
/** What one client may hold of it. */
const CLIENT_SHARE = 0.1
/** Opening keys and writing the journal take 2 to 6 ms. */
const LEAD_MS = 8
/** Order books and histories are a few hundred kilobytes at most. */
const ANSWER_BYTES_MAX = 8 * 1024 * 1024

export interface AppOptions {
  readonly logger?: FastifyServerOptions['logger']
  /** The wall clock; Date.now unless told. */
  readonly nowMs?: () => number
  /** Time between two looks at the key file, for tests. */
  readonly keyLookEveryMs?: number
  /** Quiet before a lane's first call; tests that start no second process set 0. */
  readonly laneStartDelayMs?: number
  /** How long writes wait for another process that holds the database; 5 s unless told. */
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

  const unlock = lockStore(databasePath(config.databaseUrl))
  const store = openStore(config.databaseUrl, options.storePatienceMs)
  const settings = createSettingsStore(store.db)
  const ring = await openKeyRing({
    ...config.masterKey,
    defaultFile: join(dirname(store.path), 'master.key'),
    settings,
  })

  const admins = createAdminStore(store.db)
  const adminSessions = createAdminSessionStore(store.db)
  const clients = createClientStore(store.db)
  const tokenStore = createTokenStore(store.db)
  const apiKeys = createApiKeyStore(store.db)
  const log = createLogStore(store.db)
  const journal = createJournalStore(store.db)
  const sealing = createSealing(ring)
  const secrets = createClientSecrets({ key: await clientSecretKey(settings, ring, sealing) })
  const passwords = createPasswords()
  if (config.firstAdmin !== undefined && (await admins.count()) === 0) {
    const { email, password } = config.firstAdmin
    await admins.insert({
      email,
      passwordHash: await passwords.hash(password),
      createdAtMs: nowMs(),
    })
  }

  const app = await createServer({
    consoleOrigins: config.consoleOrigins,
    trustProxy: config.trustProxy,
    logger: options.logger ?? false,
  })
  const answers = countOpenAnswers(app)
  const tracing =
    config.tracing === undefined
      ? undefined
      : (await import('./tracing/tracing.ts')).startTracing(app, config.tracing)
  if (ring.isNew)
    app.log.warn(
      { file: ring.file },
      'a new master key was made: keep a copy apart from the database, nothing stored can be opened without it',
    )

  const transport = createTransport({
    origins: config.upstream,
    timeoutMs: config.upstreamTimeoutMs,
    maxAnswerBytes: ANSWER_BYTES_MAX,
  })
  const measured = createMetrics(config.lane.ratePerSecond)
  const webhook =
    config.alertWebhook === undefined
      ? undefined
      : createWebhook({
          ...config.alertWebhook,
          nowMs,
          pausesMs: options.alerts?.pausesMs,
          onDelivered: () => measured.alerts.ended('delivered'),
          onLost: (alert, why) => {
            measured.alerts.ended('lost')
            app.log.error({ alert, why }, 'an alert could not be delivered')
          },
        })
  const board = createAlertBoard({
    nowMs,
    onChange: (alert) => {
      app.log.warn({ alert }, `alert ${alert.state}: ${alert.type}`)
      webhook?.send(alert)
    },
  })
  const diskSpace = options.alerts?.diskSpace ?? (() => readDiskSpace(store.path))
  const clocks = forEachExchange(() => createExchangeClock({ monotonicMs, wallMs: nowMs }))
  const alerts = createAlerts({
    board,
    nowMs,
    apiKeys,
    clocks,
    diskSpace,
    onError: (error) => app.log.error({ err: error }, 'a look for alerts failed'),
    checkEveryMs: options.alerts?.checkEveryMs,
  })
  const stopWatchingKeys = await watchKeys({
    ring,
    settings,
    onChange: (keyIds) => {
      app.log.info({ keyIds }, 'the master key file was read again')
      alerts.keyFile.taken()
    },
    onError: (error) => {
      app.log.error({ err: error }, 'the master key file cannot be used')
      alerts.keyFile.refused()
    },
    everyMs: options.keyLookEveryMs,
  })
  const keys = createClientKeys({ apiKeys, sealing })
  const time = createLaneTime()
  const lanes = forEachExchange((exchange) =>
    createLane<Delivery>({
      name: EXCHANGE_NAMES[exchange],
      ratePerSecond: config.lane.ratePerSecond,
      concurrency: config.lane.concurrency,
      maxQueueWaitMs: config.lane.maxQueueWaitMs,
      maxQueueLength: QUEUE_LENGTH_MAX,
      clientShare: CLIENT_SHARE,
      leadMs: LEAD_MS,
      judge: judgeDelivery,
      time,
      random: Math.random,
      onEvent: (event) => {
        logLaneEvent(app, event)
        alerts.lane(exchange, event)
      },
      onDispatch: (dispatch) => measured.lanes.dispatched(exchange, dispatch),
      ...(options.laneStartDelayMs === undefined ? {} : { startDelayMs: options.laneStartDelayMs }),
    }),
  )
  const relays = forEachExchange((exchange) =>
    createRelay({
      exchange,
      lane: lanes[exchange],
      transport,
      clock: clocks[exchange],
      keys,
      clients,
      monotonicMs,
      onUnmeasured: (error) =>
        app.log.warn({ err: error, exchange }, 'exchange clock not measured'),
      onCalled: (report) => {
        measured.upstream.called(report)
        alerts.keyCalled(report)
        tracing?.called(report)
      },
    }),
  )
  const rules = createRulesCache({
    fetch: async (key) =>
      readRules(key, (await relays[key.exchange].sendOwn(rulesCall(key))).verdict),
    nowMs: monotonicMs,
    onStale: (key, ageMs, error) =>
      app.log.warn({ err: error, ...key, ageMs }, 'symbol rules could not be refreshed'),
  })
  const reconciler = createReconciler({
    journal,
    relays,
    clocks,
    toAnswer,
    nowMs,
    onResolved: (row, outcome) => {
      const { id, exchange, clientId } = row
      measured.orders.ended(exchange, 'resolved')
      alerts.orders.resolved(row, outcome)
      app.log.warn({ requestId: id, exchange, clientId, outcome }, 'unknown order outcome resolved')
    },
    onError: (error, { id, exchange }) =>
      app.log.warn({ err: error, requestId: id, exchange }, 'order not looked up yet'),
    ...options.reconcile,
  })
  const placeOnce = createPlaceOnce({
    journal,
    reconciler,
    requireLog: () => log.requireWritable(nowMs()),
    toAnswer,
    onJournalFailure: (error, id) =>
      app.log.error({ err: error, requestId: id }, 'the end of an order could not be written down'),
    onEnd: (request, state) => {
      measured.orders.ended(request.exchange, state)
      if (state === 'unknown') alerts.orders.unknown(request)
    },
    nowMs,
    exchangeNowMs: (exchange) => clocks[exchange].nowMs(),
  })
  const killSwitch = createKillSwitch({ settings, lanes })
  await killSwitch.restore()
  const recovered = await recoverJournal({
    journal,
    reconciler,
    toAnswer,
    nowMs,
    onUnknown: alerts.orders.unknown,
  })
  if (recovered.dropped + recovered.sent > 0)
    app.log.warn(
      recovered,
      'the last stop left orders: waiting ones were not sent, sent ones are looked up',
    )

  let isClosing = false
  await describeRoutes(app)
  await app.register(auth, {
    admins,
    adminSessions,
    clients,
    tokenStore,
    secrets,
    passwords,
    tokenKeys: {
      admin: createTokenKeys(ring, 'admin token'),
      client: createTokenKeys(ring, 'client token'),
    },
    nowMs,
  })
  const ratePerSecond = config.lane.ratePerSecond
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
    board,
    diskSpace,
  })
  await app.register(admin, {
    clients,
    tokens: tokenStore,
    secrets,
    journal,
    apiKeys,
    sealing,
    relays,
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
    tokens: tokenStore,
    lanes,
    isPaper: (exchange) => isPaper(config, exchange),
    ratePerSecond,
    nowMs,
  })
  await app.register(proxyMx, { relay: relays.mx, rules, placeOnce })
  await app.register(proxyBg, { relay: relays.bg, rules, placeOnce, nowMs })
  await app.register(dropIn, { relays, placeOnce })
  await app.register(requests, { journal, lanes, placeOnce })
  healthRoutes(app, [
    () => (isClosing ? 'the gateway is shutting down' : undefined),
    async () => {
      const writable = await log.probe(nowMs())
      return writable.ok ? undefined : `the store cannot be written: ${writable.error.message}`
    },
    () =>
      store.pendingMigrations() === 0
        ? undefined
        : 'migrations are pending: the database is not the one that was opened; restart the gateway',
    async () => {
      await ring.current()
      return undefined
    },
  ])

  const stopHousekeeping = startHousekeeping({
    log,
    tokens: tokenStore,
    journal,
    sessions: adminSessions,
    logRetentionMs: config.logRetentionMs,
    nowMs,
    onError: (error) => app.log.error({ err: error }, 'housekeeping failed'),
  })
  app.addHook('onListen', async () => {
    for (const exchange of EXCHANGES) {
      relays[exchange]
        .measureClock()
        .catch((error: unknown) =>
          app.log.warn({ err: error, exchange }, 'exchange clock not measured'),
        )
    }
  })
  // Waiting requests are answered and sent ones are waited for while the server still can answer.
  app.addHook('preClose', async () => {
    isClosing = true
    stopHousekeeping()
    stopWatchingKeys()
    await Promise.all(EXCHANGES.map((exchange) => lanes[exchange].close(config.upstreamTimeoutMs)))
    await reconciler.close()
    await placeOnce.idle()
    await answers.done()
    alerts.stop()
    await webhook?.close()
    await tracing?.close()
  })
  app.addHook('onClose', async () => {
    killSwitch.close()
    await log.flush()
    await transport.close()
    store.close()
    unlock()
  })
  return app
}

function toAnswer(error: unknown, requestId: string): StoredAnswer {
  const body = toErrorBody(error instanceof Error ? error : new Error(String(error)), requestId)
  return jsonAnswer(body.statusCode, body)
}

function forEachExchange<T>(make: (exchange: ExchangeCode) => T): Record<ExchangeCode, T> {
  return { mx: make('mx'), bg: make('bg') }
}

function logLaneEvent(app: FastifyInstance, event: LaneEvent): void {
  if (event.type === 'fault') app.log.error({ err: event.error, lane: event.lane }, 'lane fault')
  else app.log.warn(event, `lane ${event.type}`)
}
