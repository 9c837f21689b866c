import { randomUUID } from 'node:crypto'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { isForOwner } from '../http/route.ts'
import { Ownership } from '../nodes/ownership.ts'
import { PARKED_MS } from '../nodes/pass-requests.ts'
import type { Time } from '../time.ts'
import type { AppOptions, Core } from './app-options.ts'

/** Work of the process that sends to the exchanges: in a group, only its owner does it. */
export interface OwnerWork {
  /**
   * Runs work: at once in a gateway that is alone on its database, and otherwise when this node
   * becomes the owner, after the work that was given before.
   * @throws what work throws that runs at once
   */
  whenOwner(work: (fence: number | undefined) => unknown): Promise<void>
  /**
   * Runs what was given. Call it once.
   * @param fence the number under which this node is the owner
   * @throws what the work throws
   */
  begin(fence: number): Promise<void>
}

/** @param isOwner whether this process sends to the exchanges from the start */
export function createOwnerWork(isOwner: boolean): OwnerWork {
  const waiting: ((fence: number | undefined) => unknown)[] = []
  let hasBegun = isOwner
  return {
    async whenOwner(work) {
      if (hasBegun) await work(undefined)
      else waiting.push(work)
    },
    async begin(fence) {
      for (const work of waiting) await work(fence)
      hasBegun = true
    },
  }
}

/** EX_TEMPFAIL: the supervisor starts the process again. */
const EXIT_START_AGAIN = 75

/**
 * What makes one of the gateways on a database the owner of the exchanges; undefined where the
 * database is a file, which only one gateway can use.
 */
export function createOwnership(core: Core): Ownership | undefined {
  const { app, config, time } = core
  const { ownerLock: lock } = core.stores
  if (lock === undefined) return undefined
  return new Ownership({
    ...{ lock, time, times: core.options.ownershipTimes },
    node: { nodeId: randomUUID(), nodeUrl: config.node?.url ?? '' },
    onError: (err) => app.log.warn({ err }, 'the connection that makes this node the owner failed'),
  })
}

/** Tries to become the owner from now on. Call it when the app is ready. */
export function tryToBecomeOwner(
  ownership: Ownership | undefined,
  work: Pick<OwnerWork, 'begin'>,
  log: FastifyBaseLogger,
  { endProcess = process.exit, leave = endProcess }: AppOptions,
): void {
  ownership?.start({
    async onOwner(fence) {
      log.info({ fence }, 'this node is the owner of the exchanges now')
      await work.begin(fence)
    },
    onLost(reason) {
      log.fatal({ err: reason }, 'this node is no longer the owner of the exchanges: it ends')
      leave(EXIT_START_AGAIN)
    },
  })
}

/**
 * Ends the process when the database was replaced while it ran, by a standby or a backup: the
 * database may lack what is in memory. The next start stops the exchanges (`noteRestore`).
 */
export function endWhenReplaced({ app, options, stores }: Core): void {
  const { endProcess = process.exit } = options
  stores.onReplaced?.(() => {
    app.log.fatal('PostgreSQL was replaced by a standby or a backup: this process ends')
    endProcess(EXIT_START_AGAIN)
  })
}

/**
 * For a gateway that is alone on its PostgreSQL. Until it has the lock by which it alone sends, in
 * its first second, requests on the routes registered after this call wait for it, as they wait for
 * an owner in a group. After that, what needs the lock fails without it.
 */
export async function waitForLock(
  app: FastifyInstance,
  ownerWork: OwnerWork,
  time: Pick<Time, 'setTimeout'>,
): Promise<void> {
  const { promise: begun, resolve } = Promise.withResolvers<void>()
  let isOver = false
  const end = () => {
    isOver = true
    resolve()
  }
  await ownerWork.whenOwner(end)
  app.addHook('onReady', async () => void time.setTimeout(end, PARKED_MS).unref())
  app.addHook('preClose', async () => end())
  app.addHook('onRoute', (route) => {
    if (!isForOwner(route.config)) return
    route.preHandler = [
      (_request, _reply, done) => {
        if (isOver) done()
        else void begun.then(() => done())
      },
      ...[route.preHandler ?? []].flat(),
    ]
  })
}
