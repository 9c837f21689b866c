import { randomUUID } from 'node:crypto'
import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../config.ts'
import { Ownership, type OwnershipDeps } from '../nodes/ownership.ts'
import type { Stores } from '../store/stores.ts'
import type { AppOptions } from './app-options.ts'
import type { OwnerWork } from './owner-work.ts'

/** EX_TEMPFAIL: the supervisor starts the process again. */
const EXIT_START_AGAIN = 75

interface OwnershipParts extends Pick<OwnershipDeps, 'time' | 'times'> {
  readonly log: FastifyBaseLogger
}

/**
 * What makes one of the gateways on a database the owner of the exchanges; undefined where the
 * database is a file, which only one gateway can use.
 */
export function createOwnership(
  { ownerLock: lock }: Pick<Stores, 'ownerLock'>,
  { node }: Pick<Config, 'node'>,
  { log, time, times }: OwnershipParts,
): Ownership | undefined {
  if (lock === undefined) return undefined
  return new Ownership({
    ...{ lock, time, times },
    node: { nodeId: randomUUID(), nodeUrl: node?.url ?? '' },
    onError: (err) => log.warn({ err }, 'the connection that makes this node the owner failed'),
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
 * Ends the process when the database was replaced while it ran, by a standby or a backup: what is
 * in memory may not be in the database any more. The next start stops the exchanges
 * (`noteRestore`).
 */
export function endWhenReplaced(
  { onReplaced }: Pick<Stores, 'onReplaced'>,
  log: FastifyBaseLogger,
  { endProcess = process.exit }: AppOptions,
): void {
  onReplaced?.(() => {
    log.fatal('PostgreSQL was replaced by a standby or a backup: this process ends')
    endProcess(EXIT_START_AGAIN)
  })
}
