import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createError } from '@fastify/error'
import type { Config } from '../config.ts'
import { openForMasterKey } from '../store/create-stores.ts'
import { MEMORY_PATH } from '../store/database-path.ts'
import { StoreUrlError } from '../store/errors.ts'
import type { GatewayKeys, Stores, StoresBeside } from '../store/stores.ts'
import { loadKeyRing } from '../vault/key-ring.ts'
import { addToKeyFile, removeFromKeyFile } from '../vault/master-key.ts'
import { byCommand } from './command-line.ts'
import {
  CURRENT_SINCE_NAME,
  makeCurrent,
  type ResealOptions,
  resealRows,
  type Verified,
  verifyAll,
} from './sealed-rows.ts'

/** The keys come from the environment, which only a person can change. */
const NoNewKeyError = createError<[]>(
  'NO_NEW_KEY',
  'MASTER_KEY holds one key, and this command cannot change the environment of the gateway. Create a key with "openssl rand -base64 32", set MASTER_KEY to "<old key>,<new key>", restart the gateway, and run this command again with the same MASTER_KEY. Or put the key into a file and set MASTER_KEY_FILE; then no restart is needed',
)

/**
 * A gateway does not report that it has loaded the keys. Nothing was sealed with a key
 * that it lacks.
 */
const KeyNotTakenError = createError<[nodes: string, source: string]>(
  'KEY_NOT_TAKEN',
  'The gateway (%s) has not loaded the keys from %s. Check that it uses the same source and can read it; its log has the reason. Where several gateways share PostgreSQL, copy the key file to the machine of each. Their requests still work. Run this command again, or restart the gateway first',
)

/** Older keys are still needed to open sealed values. */
const UnsealedRowsError = createError<[]>(
  'ROTATION_UNFINISHED',
  'Some data is not sealed with the newest key yet; run "npm run rotate-key" first',
)

/** Older keys are still needed to verify tokens. */
const OldKeyNeededError = createError<[until: string]>(
  'OLD_KEY_NEEDED',
  'Tokens or sessions signed with an older key are valid until %s. Run this command again after that, or now with --end-tokens: bots then get new tokens automatically, and administrators sign in again',
)

/** Another process reads the write-ahead log, which still has what the old key sealed. */
const OldTextsRemainError = createError<[]>(
  'OLD_TEXTS_REMAIN',
  "The old key is no longer needed, but what it sealed is still in the database's write-ahead log, because another process reads it (an export or a backup). Run this command again when that has ended",
)

interface RotateOptions {
  readonly config: Pick<Config, 'databaseUrl' | 'masterKey'>
  readonly nowMs: () => number
  /**
   * Called after each step. Every step is durable: after an interruption, another process can
   * continue.
   */
  readonly onStep: (step: RotationStep) => void
  /** How long a running gateway may take to notice a change of the key file, in ms. */
  readonly patienceMs?: number
  /** Names of gateways that are missing and no longer run, as a person knows. */
  readonly gone?: readonly string[]
}

export type RotationStep =
  | { readonly name: 'added'; readonly keyId: string; readonly file: string }
  | { readonly name: 'taken'; readonly keyId: string }
  | { readonly name: 'current'; readonly keyId: string }
  | { readonly name: 'resealed'; readonly done: number; readonly of: number }

export interface Rotated extends Verified {
  /** Whether anything had to be done. */
  readonly isChanged: boolean
  readonly keyId: string
  /** Older keys that stay loaded to verify the tokens that they signed. */
  readonly olderKeyIds: readonly string[]
}

const PATIENCE_MS = 30_000

/**
 * Rotates the master key of a database, whether or not a gateway runs. The key is added to the
 * file, the running gateway loads it, it becomes current, and everything is resealed and verified
 * with it. Older keys stay loaded, so nothing fails in between. It can be interrupted at any point:
 * the next call resumes.
 * @throws RotationRunningError, NoNewKeyError, KeyNotTakenError, MasterKeyFileError, and what
 * opening the database or its keys throws
 */
export async function rotate(options: RotateOptions): Promise<Rotated> {
  await using parts = await openRotation(options)
  const { ring } = parts
  const { onStep } = options
  const before = await ring.current()
  const isBegun = ring.keys().at(-1)?.keyId !== before.keyId
  const { behind } = await verifyAll(parts)
  if (!isBegun && behind === 0 && ring.keys().length > 1) return await report(parts, false)
  if (!isBegun && behind === 0) await addKey(parts, before.keyId, onStep)

  const newest = ring.keys().at(-1) ?? before
  await gatewayHas(parts, options, (held) => held.includes(newest.keyId))
  onStep({ name: 'taken', keyId: newest.keyId })
  if (newest.keyId !== before.keyId) {
    await makeCurrent(parts, newest)
    onStep({ name: 'current', keyId: newest.keyId })
  }
  await resealRows(parts, (done, of) => onStep({ name: 'resealed', done, of }))
  return await report(parts, true)
}

interface FinishOptions extends Omit<RotateOptions, 'onStep'> {
  /**
   * Ends tokens that older keys signed instead of waiting for them: use it when an older key has
   * leaked.
   */
  readonly endTokens: boolean
}

interface Finished {
  readonly keyId: string
  /**
   * The keys that were removed from the file; for keys of the environment, those that a person can
   * remove.
   */
  readonly removedKeyIds: readonly string[]
  /**
   * The changed file; undefined when the keys come from the environment, which a person changes.
   */
  readonly file: string | undefined
  /** Whether nothing in the database and its write-ahead log opens with an older key. */
  readonly isErased: boolean
}

/**
 * Removes older keys from the file once nothing needs them: everything sealed opens with the
 * current key, and no valid token was signed by another. Then overwrites what they sealed.
 * @throws RotationRunningError, UnsealedRowsError, OldKeyNeededError, KeyNotTakenError,
 * MasterKeyFileError, OldTextsRemainError
 */
export async function finish(options: FinishOptions): Promise<Finished> {
  await using parts = await openRotation(options)
  const { ring } = parts
  const { keyId } = await ring.current()
  const removedKeyIds = ring.keys().flatMap((key) => (key.keyId === keyId ? [] : [key.keyId]))
  const { behind } = await verifyAll(parts)
  if (behind > 0 || ring.keys().at(-1)?.keyId !== keyId) throw new UnsealedRowsError()
  const tokens = removedKeyIds.length === 0 ? undefined : await parts.tokensOfOlderKeys()
  if (tokens !== undefined && !options.endTokens)
    throw new OldKeyNeededError(new Date(tokens.untilMs).toISOString())
  if (removedKeyIds.length > 0)
    await parts.audit.append(
      byCommand(parts.nowMs(), {
        ...{ action: 'master-key.removal-requested', subjectKind: 'master-key', subject: keyId },
        after: { removedKeyIds, endTokens: options.endTokens },
      }),
    )
  if (ring.file !== undefined) {
    if (removedKeyIds.length > 0) await removeFromKeyFile(ring.file, removedKeyIds, keyId)
    // Needed even when an earlier call removed them: it may have ended before the gateway had
    // unloaded them.
    await gatewayHas(parts, options, (held) => held.every((id) => id === keyId))
  }
  // Somebody who gets the old key must find nothing that it opens.
  const isErased = await parts.eraseFreed?.(options.patienceMs ?? PATIENCE_MS)
  if (isErased === false) throw new OldTextsRemainError()
  return { keyId, removedKeyIds, file: ring.file, isErased: isErased === true }
}

async function addKey(
  { ring, audit, nowMs }: RotationParts,
  currentId: string,
  onStep: RotateOptions['onStep'],
): Promise<void> {
  const { file } = ring
  if (file === undefined) throw new NoNewKeyError()
  await audit.append(
    byCommand(nowMs(), {
      ...{ action: 'master-key.addition-requested', subjectKind: 'master-key', subject: currentId },
      after: { file },
    }),
  )
  await addToKeyFile(file, currentId)
  await ring.reload()
  onStep({ name: 'added', keyId: ring.keys().at(-1)?.keyId ?? '', file })
}

/**
 * Reads the key file again: the report describes what is stored, not what this process remembers.
 */
async function report(parts: RotationParts, isChanged: boolean): Promise<Rotated> {
  await parts.ring.reload()
  const { keyId } = await parts.ring.current()
  const olderKeyIds = parts.ring.keys().flatMap((key) => (key.keyId === keyId ? [] : [key.keyId]))
  return { isChanged, keyId, olderKeyIds, ...(await verifyAll(parts)) }
}

/**
 * Waits until each gateway reports that it has loaded the keys. One that is missing may run and be
 * cut off, so it counts until its next run replaces it, or a person says that it is gone. Returns
 * immediately when there is none.
 */
async function gatewayHas(
  { gateways, ring }: RotationParts,
  { patienceMs = PATIENCE_MS, gone = [] }: Pick<RotateOptions, 'patienceMs' | 'gone'>,
  isRight: (held: readonly string[]) => boolean,
): Promise<void> {
  const endMs = performance.now() + patienceMs
  for (;;) {
    const behind = (await gateways()).filter(
      ({ node, keyIds, missingSinceMs }) =>
        !isRight(keyIds) && (missingSinceMs === undefined || !gone.includes(node)),
    )
    if (behind.length === 0) return
    if (performance.now() > endMs)
      throw new KeyNotTakenError(behind.map(toText).join(', '), ring.file ?? 'MASTER_KEY')
    await sleep(100)
  }
}

function toText({ node, missingSinceMs }: GatewayKeys): string {
  if (missingSinceMs === undefined) return node
  const since = new Date(missingSinceMs).toISOString()
  return `${node}: not seen since ${since}; if it no longer runs, start it again, or add --gone ${node}`
}

interface RotationParts
  extends ResealOptions,
    Pick<Stores, 'audit'>,
    Pick<StoresBeside, 'path' | 'gateways' | 'eraseFreed'>,
    AsyncDisposable {
  /**
   * When the last valid token or session expires that was issued before the current key became
   * current; undefined when there are none.
   */
  tokensOfOlderKeys(): Promise<{ readonly untilMs: number } | undefined>
}

interface OpenRotationOptions {
  readonly config: Pick<Config, 'databaseUrl' | 'masterKey'>
  readonly nowMs: () => number
}

/**
 * Opens the database and its keys for one command at a time. A gateway may run at the same time.
 * The caller disposes of the result.
 * @throws RotationRunningError, WrongUserError, ReserveInUseError, and what opening the database or
 * its keys throws
 */
async function openRotation({ config, nowMs }: OpenRotationOptions): Promise<RotationParts> {
  if (config.databaseUrl.endsWith(MEMORY_PATH)) throw new StoreUrlError(MEMORY_PATH)
  await using opening = new AsyncDisposableStack()
  const stores = await openForMasterKey(config.databaseUrl)
  opening.defer(() => stores.close())
  const { facts, path, tokens, adminSessions } = stores
  const defaultFile = path === undefined ? undefined : join(dirname(path), 'master.key')
  const ring = await loadKeyRing({ ...config.masterKey, defaultFile, facts })
  const opened = opening.move()
  return {
    ...stores,
    ...{ ring, nowMs },
    async tokensOfOlderKeys() {
      const sinceMs = Number((await facts.get(CURRENT_SINCE_NAME)) ?? 0)
      const ends = [
        await tokens.lastExpiry(sinceMs, nowMs()),
        await adminSessions.lastExpiry(sinceMs, nowMs()),
      ].filter((end) => end !== undefined)
      return ends.length === 0 ? undefined : { untilMs: Math.max(...ends) }
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}
