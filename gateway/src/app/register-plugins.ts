import { type Config, isPaper } from '../config.ts'
import { createClientBudget } from '../http/client-budget.ts'
import { describeRoutes } from '../http/openapi.ts'
import { leaveOutRowsOfOthers } from '../http/own-rows.ts'
import { wasPassedOn } from '../http/passed-request.ts'
import { signInAttemptOf } from '../http/sign-in-attempt.ts'
import { admin } from '../plugins/admin/index.ts'
import { approvals } from '../plugins/approvals/index.ts'
import { audit } from '../plugins/audit/index.ts'
import { auth } from '../plugins/auth/index.ts'
import { dropIn } from '../plugins/drop-in/index.ts'
import { logs } from '../plugins/logs/index.ts'
import { createLogReader } from '../plugins/logs/log-reader.ts'
import { metrics } from '../plugins/metrics/index.ts'
import { operator } from '../plugins/operator/index.ts'
import { people } from '../plugins/people/index.ts'
import { proxyBg } from '../plugins/proxy-bg/index.ts'
import { proxyMx } from '../plugins/proxy-mx/index.ts'
import { requests } from '../plugins/requests/index.ts'
import { stats } from '../plugins/stats/index.ts'
import type { Parts } from './create-parts.ts'
import { waitForLock } from './wait-for-lock.ts'

/**
 * Registers the plugins. `auth`, `operator` and `logs` work on the routes that are registered after
 * them.
 */
export async function registerPlugins(parts: Parts, config: Config): Promise<void> {
  const { app, nowMs, stores, exchanges } = parts
  const { placeOrder } = parts.orders
  const { upstreams, lanes, rules } = exchanges
  const readUsage = (clientRef: number) => parts.limits.readUsage(clientRef, 'client')
  describeRoutes(app, config.apiDocs)
  // Before `auth`, whose routes are for the owner too.
  parts.group?.passRequests()
  if (parts.group === undefined && parts.ownership !== undefined)
    await waitForLock(app, parts.ownerWork, parts.time)
  await registerGuards(parts, config)
  await registerOperations(parts, config)
  leaveOutRowsOfOthers(app, parts.orders.owners)
  await app.register(proxyMx, { upstream: upstreams.mx, rules, placeOrder })
  await app.register(proxyBg, { upstream: upstreams.bg, rules, placeOrder, nowMs })
  await app.register(dropIn, { upstreams, placeOrder })
  await app.register(requests, {
    ...{ lanes, placeOrder, readUsage },
    ...{ journal: stores.journal, clients: stores.clients },
    heartbeats: parts.orders.heartbeats,
    ownCancels: parts.orders.ownCancels,
    workingOrders: parts.orders.workingOrders,
  })
}

/**
 * Registers what runs around the routes that come later: authentication, the request log, sign-in
 * alerts.
 */
async function registerGuards(parts: Parts, config: Config): Promise<void> {
  const { lane, budget } = config
  const { app, time, nowMs, stores, vault, exchanges, watching } = parts
  const { alerts } = watching
  await app.register(auth, {
    admins: stores.admins,
    adminSessions: stores.adminSessions,
    secondFactors: stores.secondFactors,
    openIds: stores.openIds,
    openIdSettings: config.openId,
    passwordSignIn: config.passwordSignIn,
    sessionTimes: config.sessions,
    requireSecondFactor: config.requireSecondFactor,
    clients: stores.clients,
    tokenStore: stores.tokens,
    secretStore: stores.secrets,
    secrets: vault.secrets,
    passwords: vault.passwords,
    sealing: vault.sealing,
    recoveryCodes: vault.recoveryCodes,
    consoleOrigins: config.consoleOrigins,
    tokenKeys: vault.tokenKeys,
    events: parts.events,
    budget: createClientBudget({ ...budget, time }),
    audit: stores.audit,
    ...{ time, nowMs },
  })
  await app.register(logs, {
    log: stores.log,
    reader: createLogReader(stores.log),
    lanes: exchanges.lanes,
    ratePerSecond: lane.ratePerSecond,
    refusalRowsPerMinute: budget.refusalRowsPerMinute,
    isOnReserve: parts.isOnReserve,
    time,
  })
  app.addHook('onResponse', (request, reply, done) => {
    const attempt = signInAttemptOf(request, reply)
    if (attempt !== undefined && !wasPassedOn(request)) alerts.signInAttempted(attempt, request.ip)
    done()
  })
  app.addHook('onReady', () => parts.ownerWork.whenOwner((fence) => alerts.start(fence)))
}

/** Registers the routes of operators and of the console. */
async function registerOperations(parts: Parts, config: Config): Promise<void> {
  const { app, time, nowMs, stores, exchanges, orders, watching } = parts
  const { clients, tokens, journal, log, apiKeys } = stores
  const { lanes, clocks } = exchanges
  await app.register(metrics, {
    metrics: watching.measured,
    token: config.metricsToken,
    lanes,
    clocks,
    connections: parts.connections,
    journal,
    log,
    apiKeys,
    board: watching.alerts.board,
    diskSpace: watching.diskSpace,
    lastBackupMs: watching.lastBackupMs,
    isOnReserve: parts.isOnReserve,
    nodeNow: parts.nodeNow,
    nodes: stores.nodes,
    time,
  })
  for (const plugin of [approvals, admin, people, audit]) await app.register(plugin, parts)
  await app.register(operator, {
    ...{ lanes, clocks, clients, journal, time, nowMs },
    ...{ secretStore: stores.secrets, queueMinutes: stores.queueMinutes },
    ...{ stops: orders.stops, unknownCancels: orders.unknownCancels },
    usageOf: (clientRef) => parts.limits.usageOf(clientRef),
    openAlerts: () => watching.alerts.board.open(),
    isPaper: (exchange) => isPaper(config, exchange),
    sampleEveryMs: parts.sampleEveryMs,
    ...{ nodes: stores.nodes, self: parts.self },
    whenOwner: parts.ownerWork.whenOwner,
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
