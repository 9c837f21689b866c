import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { EXCHANGES } from 'schema'
import { type Config, ConfigError, readConfig } from '../../config.ts'
import { ENV } from '../../env/table.ts'
import type { AuditHead } from '../../store/audit-chain.ts'
import { limitsOf } from '../../store/client-store.ts'
import { databasePath, isPostgresUrl, MEMORY_PATH } from '../../store/database-path.ts'
import type { StoresBeside } from '../../store/stores.ts'
import { CHECK_NAME, type KeyRing, loadKeyRing } from '../../vault/key-ring.ts'
import { COMMIT, VERSION } from '../../version.ts'
import { CommandCalls, type CommandCallsDeps, type StoredKey } from '../command-calls.ts'
import { readLastBackup } from '../record-backup.ts'
import { verifyAll } from '../sealed-rows.ts'
import { compareRate, plainHttpWarning } from '../settings-to-change.ts'
import {
  checkDatabase,
  checkFiles,
  checkGateway,
  checkReserve,
  type DatabaseCheck,
} from './check-database.ts'
import {
  checkExchanges,
  checkStoredKeys,
  checkStreams,
  checkWay,
  openStoredKeys,
} from './check-exchanges.ts'
import { checkServer } from './check-server.ts'
import { about, type Finding } from './finding.ts'

/**
 * Checks everything that a gateway needs, whether one is running or not, and changes nothing.
 * Yields each finding immediately. The exchanges come last, because they may take minutes.
 * @param deps `isOffline`: no exchange is called
 * @param knownHeads entries of the audit trail that were seen before
 */
export async function* examine(
  env: NodeJS.ProcessEnv,
  deps: CommandCallsDeps & { readonly isOffline?: boolean },
  knownHeads: readonly AuditHead[] = [],
): AsyncGenerator<Finding, void> {
  yield about('Sluice').ok(`version ${VERSION}, ${COMMIT}`)
  yield about('Node.js').ok(`${process.version} on ${process.platform}`)
  const { config, findings } = checkConfiguration(env)
  yield* findings
  if (config === undefined) return
  yield* checkRate(config)

  let stored: readonly StoredKey[] = []
  const { findings: found, stores } = await examineStore(config, deps)
  yield* found
  try {
    if (stores !== undefined) {
      const { findings: keyFindings, ring } = await checkKeys(stores, config)
      yield* keyFindings
      if (ring !== undefined) stored = await openStoredKeys(stores, ring)
      yield await checkAdmins(stores)
      yield* await checkSecretBearers(stores)
      yield await checkOrders(stores)
      yield await checkAudit(stores, knownHeads)
      yield await checkLastBackup(stores, config, deps.nowMs())
    }
  } finally {
    await stores?.close()
  }
  if (deps.isOffline !== true) yield* askExchanges(config, stored, deps)
}

async function* askExchanges(
  config: Config,
  stored: readonly StoredKey[],
  deps: CommandCallsDeps,
): AsyncGenerator<Finding, void> {
  const calls = await openCalls(config, deps)
  if (!(calls instanceof CommandCalls)) return yield calls
  try {
    yield await checkWay(calls, config)
    yield* checkExchanges(calls, config)
    yield* checkStoredKeys(calls, stored)
    yield* checkStreams(calls, config, stored)
  } finally {
    await calls.close()
  }
}

/** @returns a finding when no call may be made: what sends to the exchanges cannot be seen */
async function openCalls(config: Config, deps: CommandCallsDeps): Promise<CommandCalls | Finding> {
  try {
    return await CommandCalls.open(config, deps)
  } catch (error) {
    const { warn } = about('exchange calls')
    const message = error instanceof Error ? error.message : String(error)
    return warn(
      `none was made, because the pace could not be kept: ${message}`,
      'Nothing but the exchanges and their keys was left out. Run the doctor again when this is mended.',
    )
  }
}

/** Checks the database, and what only a file or only a server has. */
async function examineStore(config: Config, deps: CommandCallsDeps): Promise<DatabaseCheck> {
  if (isPostgresUrl(config.databaseUrl)) return checkServer(config, deps)
  const path = databasePath(config.databaseUrl)
  if (path === MEMORY_PATH) return { findings: [], stores: undefined }
  const { stores, findings } = checkDatabase(path)
  if (!existsSync(path)) return { stores, findings }
  const ofFile = [
    ...(await checkFiles(path)),
    await checkReserve(path, config),
    await checkGateway(path, config),
  ]
  return { stores, findings: [...findings, ...ofFile] }
}

/**
 * Verifies the audit trail: every hash, that no entry is missing, and that the database still
 * refuses to change it.
 * @param known entries that were seen before, in a backup or an alert
 */
async function checkAudit(
  { audit, isAuditGuarded }: Pick<StoresBeside, 'audit' | 'isAuditGuarded'>,
  known: readonly AuditHead[],
): Promise<Finding> {
  const { ok, fail } = about('audit trail')
  const { entries, head, broken } = await audit.verify(known)
  if (broken !== undefined)
    return fail(
      `from entry ${broken.id} on it is not what was written: ${broken.problem}`,
      'Somebody changed the database. Keep it, and compare with the backups (docs/operations/audit.md). After a restore, newer entries are in the database that the restore kept.',
    )
  if (!(await isAuditGuarded()))
    return fail(
      'a trigger that protects it is missing or was changed',
      'Somebody changed the database. Restore a backup that has it (docs/operations/audit.md).',
    )
  if (head === undefined) return ok('it has no entries yet')
  const seen = known.length === 0 ? '' : ', and so are those that were seen before'
  return ok(`${entries} entries are whole${seen}; the last is ${head.id}:${head.hash}`)
}

const ADVICE = 'docs/operations/backup.md says how to make backups, and how to schedule them.'

/** Says how old the last backup is that this database knows of. */
async function checkLastBackup(
  { facts }: Pick<StoresBeside, 'facts'>,
  { backupMaxAgeMs }: Pick<Config, 'backupMaxAgeMs'>,
  nowMs: number,
): Promise<Finding> {
  const { ok, warn } = about('backup')
  const lastMs = await readLastBackup(facts)
  if (lastMs === undefined) return warn('none has been made', ADVICE)
  const found = `the last one is of ${new Date(lastMs).toISOString()}`
  return backupMaxAgeMs > 0 && nowMs - lastMs > backupMaxAgeMs
    ? warn(`${found}, older than BACKUP_MAX_AGE_HOURS allows`, ADVICE)
    : ok(found)
}

/** Checks that somebody can sign in. */
async function checkAdmins({ admins: store }: Pick<StoresBeside, 'admins'>): Promise<Finding> {
  const { ok, warn } = about('administrators')
  const admins = await store.list()
  const active = admins.filter(({ disabledAtMs }) => disabledAtMs === null).length
  if (active > 0) return ok(`${active} can sign in`)
  return warn(
    admins.length === 0 ? 'there is none' : 'all are disabled',
    'npm run admin -- create --email E, or enable',
  )
}

/** Reports clients whose secret may be a bearer, from any address. */
async function checkSecretBearers({
  clients,
}: Pick<StoresBeside, 'clients'>): Promise<readonly Finding[]> {
  const names = (await clients.list()).flatMap((client) => {
    const { secretAsBearer, allowedIps, mode } = limitsOf(client)
    const isOpen = client.active && secretAsBearer && (allowedIps === null || mode === 'shadow')
    return isOpen ? [`"${client.clientId}"`] : []
  })
  if (names.length === 0) return []
  const found = `the secret of ${names.join(', ')} may be a bearer (secretAsBearer), from any address`
  const advice =
    'A header that leaks works until the secret is replaced. Set allowedIps for these clients, with the mode enforce (docs/limits.md).'
  return [about('client secrets').warn(found, advice)]
}

/** Reports orders with unknown outcomes. */
async function checkOrders({ journal }: Pick<StoresBeside, 'journal'>): Promise<Finding> {
  const { ok, warn } = about('orders')
  const { unknown } = await journal.countOpen()
  if (unknown === 0) return ok('every outcome is known or being looked up')
  return warn(
    `the outcome of ${unknown} is unknown`,
    'A running gateway looks them up at the exchange. Check any that stays unknown there by hand (docs/outcomes.md).',
  )
}

/** Checks the configured rate by the limits of each exchange. */
function checkRate({ lane }: Pick<Config, 'lane'>): readonly Finding[] {
  const { ok, warn } = about('rate limit')
  return EXCHANGES.map((exchange) => {
    const { isExceeded, found, advice } = compareRate(exchange, lane.ratePerSecond)
    return isExceeded ? warn(found, advice) : ok(found)
  })
}

interface ConfigurationCheck {
  readonly findings: readonly Finding[]
  /** Undefined when the configuration is not usable: then the doctor stops here. */
  readonly config: Config | undefined
}

/** Checks the environment as a start would. */
export function checkConfiguration(env: NodeJS.ProcessEnv): ConfigurationCheck {
  const { ok, warn, fail } = about('configuration')
  try {
    const config = readConfig(env)
    const set = Object.keys(ENV).filter((name) => (env[name] ?? '') !== '')
    const plainHttp = plainHttpWarning(config)
    const findings = [
      ok(set.length === 0 ? 'all defaults' : `${set.join(', ')} set and valid`),
      ...(config.firstAdmin === undefined
        ? []
        : [warn('ADMIN_PASSWORD is set', 'Remove it once the administrator exists.')]),
      ...config.misspelt.map((found) =>
        warn(found, 'docs/reference/settings.md describes every setting.'),
      ),
      ...(plainHttp === undefined ? [] : [warn(plainHttp.found, plainHttp.advice)]),
    ]
    return { config, findings }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const advice = 'docs/reference/settings.md describes every setting.'
    return { config: undefined, findings: error.problems.map((found) => fail(found, advice)) }
  }
}

interface KeysCheck {
  readonly findings: readonly Finding[]
  /** The loaded master keys; undefined when none is in use, or when they cannot be used. */
  readonly ring?: KeyRing
}

/** Checks that the master key is the database's and opens everything that is sealed. */
async function checkKeys(
  stores: StoresBeside,
  config: Pick<Config, 'masterKey'>,
): Promise<KeysCheck> {
  const { ok, failed } = about('master key')
  const { facts, path } = stores
  if ((await facts.get(CHECK_NAME)) === undefined)
    return {
      findings: [
        ok('none is in use yet; the first start of the gateway creates one, or uses yours'),
      ],
    }
  try {
    const defaultFile = path === undefined ? undefined : join(dirname(path), 'master.key')
    const ring = await loadKeyRing({ ...config.masterKey, defaultFile, facts })
    const { keyId } = await ring.current()
    const place = ring.file ?? 'MASTER_KEY'
    const good = ok(
      `the key ${keyId} in ${place} matches the database; keep a copy apart from the database`,
    )
    return {
      findings: [good, ...checkRotation(ring, keyId), await checkSealed(stores, ring)],
      ring,
    }
  } catch (error) {
    return { findings: [failed(error)] }
  }
}

function checkRotation(ring: KeyRing, keyId: string): readonly Finding[] {
  const { warn } = about('master key')
  const keys = ring.keys()
  if (keys.length === 1) return []
  return keys.at(-1)?.keyId === keyId
    ? [warn('older keys are still there', 'npm run rotate-key -- --finish')]
    : [warn('a rotation was started but not finished', 'npm run rotate-key')]
}

async function checkSealed(stores: StoresBeside, ring: KeyRing): Promise<Finding> {
  const { ok, warn } = about('stored secrets')
  const { good, behind, lost } = await verifyAll({ ...stores, ring, nowMs: Date.now })
  if (lost > 0)
    return warn(
      `${lost} of ${good + behind + lost} cannot be opened with the available keys`,
      'Put the older master key into the key file, before the others; or save these exchange keys again in the console, where they are marked, and let administrators whose app does not work add it again.',
    )
  return ok(`all ${good + behind} can be opened`)
}
