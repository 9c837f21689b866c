import { existsSync } from 'node:fs'
import { databasePath } from '../database-path.ts'
import { GatewayOlderError } from '../errors.ts'
import { isGatewayRunning } from './is-running.ts'
import { watchMigrations } from './migrations.ts'
import { openStore, type Store } from './open.ts'
import { openReadOnly } from './open-read-only.ts'

/**
 * Opens a database for a command that may run beside a gateway. It is migrated as at a gateway's
 * start, but not while a gateway uses it: that gateway is older and needs its own tables.
 * @throws GatewayOlderError, and what openStore throws
 */
export function openBeside(databaseUrl: string): Store {
  const path = databasePath(databaseUrl)
  if (existsSync(path) && isGatewayRunning(path) && lacksSteps(path))
    throw new GatewayOlderError(path)
  return openStore(databaseUrl)
}

function lacksSteps(path: string): boolean {
  const { db, close } = openReadOnly(path)
  try {
    return watchMigrations(db.$client)() > 0
  } finally {
    close()
  }
}
