import type { Config } from '../../config.ts'
import { examineServer, type ServerFacts } from '../../store/server-facts.ts'
import type { CommandCallsDeps } from '../command-calls.ts'
import { checkReady, type DatabaseCheck } from './check-database.ts'
import { about, type Finding } from './finding.ts'

const DOCS = 'docs/operations/postgresql.md'
/** Connections of one gateway: those of its two pools, and that of the owner's lock. */
const OF_A_GATEWAY = 13
/** With more, the times of the log and of the server's backups do not fit together. */
const CLOCK_WARN_MS = 1_000
/** Each request waits for some round trips. */
const ROUND_TRIP_WARN_MS = 20
const LAG_WARN_BYTES = 16 * 1024 ** 2

/** Checks PostgreSQL, with what the role of the gateway may read. */
export async function checkServer(
  config: Pick<Config, 'databaseUrl' | 'listen' | 'backupMaxAgeMs'>,
  { nowMs }: Pick<CommandCallsDeps, 'nowMs'>,
): Promise<DatabaseCheck> {
  try {
    const { facts, stores } = await examineServer(config.databaseUrl, nowMs)
    const findings = [
      checkReached(facts),
      checkTls(facts),
      checkTables(facts),
      checkSettings(facts),
      checkConnections(facts),
      checkClock(facts),
      ...checkStandbys(facts),
      checkArchive(facts, nowMs()),
      ...(hasNodes(facts) ? await checkNodes(facts, config) : []),
    ]
    return { findings, stores }
  } catch (error) {
    return { findings: [about('database').failed(error)], stores: undefined }
  }
}

/** A standby knows no locks, so it cannot tell which gateways run. */
function hasNodes({ pendingMigrations, newerTables, isStandby }: ServerFacts): boolean {
  return pendingMigrations === 0 && newerTables !== 'unusable' && !isStandby
}

function checkReached({ name, version, roundTripMs, isStandby }: ServerFacts): Finding {
  const { ok, warn, fail } = about('database')
  const found = `${name} is PostgreSQL ${version} and responds in ${roundTripMs.toFixed(1)} ms`
  if (Number.parseInt(version, 10) < 15)
    return fail(`${found}; Sluice needs version 15 or newer`, `Upgrade PostgreSQL (${DOCS}).`)
  if (isStandby)
    return fail(`${found}; it is a standby`, 'Name the primary server in DATABASE_URL.')
  return roundTripMs > ROUND_TRIP_WARN_MS
    ? warn(found, 'Each request waits for several round trips: run the gateway near its database.')
    : ok(found)
}

function checkTls({ isEncrypted, isLocal }: ServerFacts): Finding {
  const { ok, warn } = about('database connection')
  if (isEncrypted) return ok('it is encrypted')
  return isLocal
    ? ok('it does not leave this machine')
    : warn(
        'it is not encrypted, and the server is another machine',
        `Set sslmode=verify-full in DATABASE_URL (${DOCS}), unless nobody else can read that network.`,
      )
}

function checkTables({ pendingMigrations, newerTables, mayCreate }: ServerFacts): Finding {
  const { ok, warn, fail } = about('tables')
  if (!mayCreate)
    return fail(
      'this role may not create tables, which a start of a new version does',
      'Make it the owner: alter database NAME owner to USER',
    )
  if (newerTables === 'unusable')
    return fail(
      'a newer version has changed them, and this one cannot use them any more',
      'Upgrade this gateway to the version that the others have.',
    )
  if (newerTables === 'usable')
    return warn(
      'a newer version has added to them; this one can still use them',
      'Upgrade this gateway too, to end the rolling upgrade.',
    )
  if (pendingMigrations === undefined)
    return warn(
      'the database has none yet',
      'The first start creates them. If there should be some, check DATABASE_URL.',
    )
  return pendingMigrations === 0
    ? ok('they are those of this version')
    : warn(
        `${pendingMigrations} migrations are not applied`,
        'Make a backup; the next start migrates.',
      )
}

function checkSettings({ settings }: ServerFacts): Finding {
  const { ok, fail } = about('durability')
  const off = (['fsync', 'full_page_writes'] as const).filter((name) => settings[name] === 'off')
  if (off.length > 0)
    return fail(
      `${off.join(' and ')} ${off.length === 1 ? 'is' : 'are'} off: a crash of the server can lose orders that were sent, or the whole database`,
      `Switch ${off.length === 1 ? 'it' : 'them'} on in postgresql.conf (${DOCS}).`,
    )
  // The gateway sets synchronous_commit itself where it is off.
  return ok(
    `fsync and full_page_writes are on; synchronous_commit is ${settings.synchronous_commit}${settings.synchronous_commit === 'off' ? ', which the gateway switches on for its orders' : ''}`,
  )
}

function checkConnections({ connections: { used, max } }: ServerFacts): Finding {
  const { ok, warn } = about('connections')
  const found = `${used} of ${max} are in use`
  return max - used < OF_A_GATEWAY
    ? warn(found, `A gateway uses up to ${OF_A_GATEWAY}: raise max_connections.`)
    : ok(found)
}

function checkClock({ aheadMs }: ServerFacts): Finding {
  const { ok, warn } = about('clock')
  const found = `PostgreSQL is ${Math.abs(Math.round(aheadMs))} ms ${aheadMs < 0 ? 'behind' : 'ahead of'} this machine`
  return Math.abs(aheadMs) > CLOCK_WARN_MS
    ? warn(found, 'Synchronise the clocks of both machines by NTP.')
    : ok(found)
}

function checkStandbys({ standbys }: ServerFacts): readonly Finding[] {
  const { ok, warn } = about('standby')
  const states = standbys.map(({ syncState }) => syncState)
  const isLossy = states.every((state) => state === 'async') && states.length > 0
  const lossy = warn(
    'none is synchronous: when one takes over, it may lack the last orders',
    `Set synchronous_standby_names (${DOCS}), unless none is to take over.`,
  )
  const each = standbys.map(({ name, state, syncState, lagBytes }) => {
    if (state === null)
      return ok('there is one; its state was not checked: this role may not read it (pg_monitor)')
    const lag = lagBytes === null ? 'unknown' : `${(lagBytes / 1024 ** 2).toFixed(1)} MB`
    const found = `${name} is ${state} (${syncState}), ${lag} behind`
    return state !== 'streaming' || (lagBytes ?? 0) > LAG_WARN_BYTES
      ? warn(found, 'What it lacks is lost when it takes over: look at its log and the network.')
      : ok(found)
  })
  return isLossy ? [...each, lossy] : each
}

function checkArchive({ settings, archive }: ServerFacts, nowMs: number): Finding {
  const { ok, warn } = about('archive')
  if (settings.archive_mode === 'off')
    return ok('the server archives no write-ahead log: a restore goes back to the last dump')
  if (archive.failed)
    return warn(
      'archiving the write-ahead log fails',
      'The log of PostgreSQL has the reason. Until it works, what happens is in no backup.',
    )
  if (archive.lastMs === null) return ok('no write-ahead log was archived yet')
  const minutes = Math.round((nowMs - archive.lastMs) / 60_000)
  return ok(
    `the write-ahead log was archived ${minutes} minutes ago; base backups were not checked`,
  )
}

async function checkNodes(
  { nodes: listed, owner, sharedUrls }: ServerFacts,
  config: Pick<Config, 'listen'>,
): Promise<readonly Finding[]> {
  const { ok, warn, fail } = about('nodes')
  const missing = listed.filter(({ missingSinceMs }) => missingSinceMs !== undefined)
  const lost = missing.map(({ node, missingSinceMs = 0 }) =>
    warn(
      `${node} has not been seen since ${new Date(missingSinceMs).toISOString()}`,
      'It was killed, or it is cut off from the database. Start it again; one that does not come back is forgotten after a day.',
    ),
  )
  const there = listed.filter((node) => !missing.includes(node))
  const nodes = there.map(({ node }) => node)
  if (nodes.length === 0) return [ok('no gateway is running on this database'), ...lost]
  const running = `${nodes.length} ${nodes.length === 1 ? 'gateway runs' : 'gateways run'} on this database (${nodes.join(', ')})`
  const found =
    owner === undefined
      ? warn(
          `${running}, and none is the owner of the exchanges`,
          'One becomes it within seconds. If not, the logs of the gateways have the reason.',
        )
      : ok(
          `${running}; the owner is ${owner.url === '' ? 'the only one' : owner.url} since ${new Date(owner.sinceMs).toISOString()} (number ${owner.fence})`,
        )
  const shared = sharedUrls.map((url) =>
    fail(
      `several gateways have the NODE_URL ${url}: requests that reach a standby fail`,
      'Set NODE_URL of each to where the others reach it, and restart it.',
    ),
  )
  const isMixed = new Set(there.map(({ version }) => version)).size > 1
  const mixed = warn(
    `they have different versions: ${there.map(({ node, version }) => `${node} ${version}`).join(', ')}`,
    'Upgrade all of them.',
  )
  return [found, ...(isMixed ? [mixed] : []), ...shared, ...lost, await checkReady(config)]
}
