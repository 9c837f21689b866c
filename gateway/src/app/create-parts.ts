import { dirname, join } from 'node:path'
import { createError } from '@fastify/error'
import type { ExchangeCode } from 'schema'
import { type Config, isPaper } from '../config.ts'
import { eachExchange } from '../exchanges/exchange.ts'
import { limitConnections, watchConnections } from '../http/connections.ts'
import { OpenStreams } from '../http/open-streams.ts'
import { refusePlainHttp, watchProxies } from '../http/proxies.ts'
import { createServer } from '../http/server.ts'
import type { OwnerView } from '../nodes/ownership.ts'
import { gatewayAuthor } from '../store/audit-chain.ts'
import { createStores } from '../store/create-stores.ts'
import { passOverDamage } from '../store/errors.ts'
import { systemTime, type Time } from '../time.ts'
import { createExchangeClock } from '../upstream/clock.ts'
import { createVault } from '../vault/create-vault.ts'
import { requireGoodPassword } from '../vault/password.ts'
import type { AppOptions, Core } from './app-options.ts'
import { createStreams } from './create-streams.ts'
import { createTrading } from './create-trading.ts'
import { createAnnouncedNode, joinGroup } from './group.ts'
import { createEvents, createWatching, startTracing, watchFiles } from './observers.ts'
import { createOwnership, createOwnerWork, endWhenReplaced } from './owner.ts'

const ALONE: OwnerView = { owner: () => 'self' }

/** Creates what the plugins use, and resumes where the last process left off. */
export async function createParts(config: Config, options: AppOptions) {
  const { time = systemTime } = options
  const nowMs = () => time.now()
  const { stores, vault } = await openStores(config, options, nowMs)
  const { app, ...server } = await openServer(config, options, time)
  const core: Core = { app, config, options, stores, vault, time }
  const tracing = await startTracing(app, config)
  const clocks = eachExchange(() =>
    createExchangeClock({ monotonicMs: () => time.monotonic(), wallMs: nowMs }),
  )
  const ownership = createOwnership(core)
  const self = createAnnouncedNode(core, ownership)
  const watching = createWatching(core, clocks, () => self.facts())
  const announceKeys = stores.announceKeys ?? (() => self.announce())
  const stopWatchingFiles = await watchFiles(core, announceKeys, watching.alerts)
  await createFirstAdmin(core).catch(passOverDamage)
  endWhenReplaced(core)
  const events = createEvents(app, watching, config.lane.ratePerSecond, tracing)
  const ownerWork = createOwnerWork(ownership === undefined)
  const trading = await createTrading(core, { clocks, events, ownership, ownerWork })
  const streams = await createStreams(core, { events, ownerWork, trading })
  const { ownerView = ownership ?? ALONE } = options
  const openStreams = new OpenStreams(time, watching.measured.streams.streamEnded)
  const group = joinGroup(core, {
    ownerView,
    onPassed: watching.measured.nodes.passed,
    endHandedOver: (id) => trading.orders.handedOver.end(id),
    responded: server.openConnections.responded,
    openStreams,
  })
  return {
    ...{ app, config, time, nowMs, stores, vault },
    ...server,
    ...{ tracing, watching, events, self, ownership, ownerWork, group, openStreams },
    ...trading,
    streams,
    /** Whether an exchange is the paper exchange, which moves no money. */
    isPaper: (exchange: ExchangeCode) => isPaper(config, exchange),
    /** Whether the disk of a database file is full and the gateway writes into its reserve. */
    isOnReserve: () => stores.file?.isOnReserve() === true,
    owner: () => ownerView.owner(),
    /** What the metrics say of this node. */
    nodeNow: () => ({
      isOwner: ownerView.owner() === 'self',
      fence: ownership?.maySend() === true ? ownership.fence() : 0,
      parked: group?.parkedCount() ?? 0,
    }),
    stopWatchingFiles,
    sampleEveryMs: options.sampleEveryMs,
    newKeyWaitMs: options.newKeyWaitMs,
  }
}

/** What the plugins are made of: each takes what it needs, as `Pick<Parts, …>`. */
export type Parts = Awaited<ReturnType<typeof createParts>>

/** Opens the database, and what is sealed with the master key. */
async function openStores(config: Config, options: AppOptions, nowMs: () => number) {
  const stores = await createStores(
    config.databaseUrl,
    options.storePatienceMs,
    config.diskReserveBytes,
  )
  // Later writes would hide the time of the last event before a restore.
  await stores.noteRestore?.(nowMs())
  const { facts, file } = stores
  const defaultFile = file === undefined ? undefined : join(dirname(file.path), 'master.key')
  const keySource = { ...config.masterKey, defaultFile, facts }
  return { stores, vault: await createVault(keySource, options.passwordCost) }
}

/** Creates the server, and what looks at each connection before any route does. */
async function openServer(config: Config, options: AppOptions, time: Time) {
  const app = await createServer({
    consoleOrigins: config.consoleOrigins,
    trustProxy: config.trustProxy,
    logger: options.logger ?? false,
    isInGroup: config.node !== undefined,
  })
  const connections = limitConnections(app.server, config.connections, config.trustProxy)
  refusePlainHttp(app, config)
  const proxyWarnings = watchProxies(app, config.trustProxy)
  return {
    app,
    connections,
    proxyWarnings,
    openConnections: watchConnections(app, connections, time),
  }
}

/** At start: nobody should be created with this password. It is not repeated. */
const FirstPasswordError = createError<[reason: string, options?: ErrorOptions]>(
  'FIRST_PASSWORD',
  'The first administrator cannot be created with this ADMIN_PASSWORD: %s',
)

/**
 * Creates the administrator that the configuration names, if there is no administrator yet.
 * @throws FirstPasswordError
 */
async function createFirstAdmin({ config, stores, vault, time }: Core): Promise<void> {
  if (config.firstAdmin === undefined || (await stores.admins.count()) > 0) return
  const { email, password } = config.firstAdmin
  await requireGoodPassword(password, email).catch((error: Error) => {
    throw new FirstPasswordError(error.message, { cause: error })
  })
  const passwordHash = await vault.passwords.hash(password)
  const createdAtMs = time.now()
  await stores.admins.insert(
    { email, passwordHash, createdAtMs },
    {
      author: gatewayAuthor(createdAtMs),
      ...{ action: 'admin.created', subjectKind: 'admin', subject: email },
      after: { from: 'ADMIN_EMAIL' },
    },
  )
}
