import { isPostgresUrl } from './database-path.ts'
import { StoreUrlError } from './errors.ts'
import type { GatewayKeys, StoresBeside } from './stores.ts'

/** A server that has a copy of the database. */
export interface StandbyFacts {
  readonly name: string
  /** `streaming` when all is well; null when this role may not see it. */
  readonly state: string | null
  /** `async`, `sync` or `quorum`. */
  readonly syncState: string | null
  /** How much of the write-ahead log it lacks. */
  readonly lagBytes: number | null
}

/** What a server says about itself and the database, read without changing anything. */
export interface ServerFacts {
  /** The URL, without the password. */
  readonly name: string
  readonly version: string
  readonly isEncrypted: boolean
  /** Whether the server is on this machine. */
  readonly isLocal: boolean
  readonly isStandby: boolean
  readonly roundTripMs: number
  /** How far the server's clock is ahead of this machine's. */
  readonly aheadMs: number
  readonly settings: Readonly<
    Record<'fsync' | 'full_page_writes' | 'synchronous_commit' | 'archive_mode', string>
  >
  readonly connections: { readonly used: number; readonly max: number }
  /** Whether this role may create tables, as a start of a new version does. */
  readonly mayCreate: boolean
  /** Undefined: the database has no tables of Sluice yet. */
  readonly pendingMigrations: number | undefined
  /** Whether a newer version has changed the tables, and whether this one can still use them. */
  readonly newerTables: 'none' | 'usable' | 'unusable'
  readonly owner:
    | { readonly url: string; readonly fence: number; readonly sinceMs: number }
    | undefined
  /** The gateways that run on this database, or may still run. */
  readonly nodes: readonly (GatewayKeys & { readonly version: string })[]
  /** Each NODE_URL that several running gateways have. */
  readonly sharedUrls: readonly string[]
  readonly standbys: readonly StandbyFacts[]
  readonly archive: { readonly lastMs: number | null; readonly failed: boolean }
}

export interface ExaminedServer {
  readonly facts: ServerFacts
  /** Undefined when the database does not have the tables of this version. The caller closes it. */
  readonly stores: StoresBeside | undefined
}

/** Asks a server about itself. @throws StoreUnopenableError, whose message has no password */
export async function examineServer(
  databaseUrl: string,
  nowMs: () => number,
): Promise<ExaminedServer> {
  if (!isPostgresUrl(databaseUrl)) throw new StoreUrlError(databaseUrl.split(':', 1)[0] ?? '')
  const postgres = await import('./postgres/examine-server.ts')
  return postgres.examineServer(databaseUrl, nowMs)
}
