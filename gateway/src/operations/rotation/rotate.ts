import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../../config.ts'
import { isGatewayRunning } from '../../store/is-running.ts'
import { addToKeyFile, removeFromKeyFile } from '../../vault/key-file.ts'
import { HELD_KEYS_NAME } from '../../vault/key-watch.ts'
import { KeyNotTakenError, NoNewKeyError, OldKeyNeededError, UnsealedRowsError } from './errors.ts'
import { openRotation, type RotationParts } from './open-rotation.ts'
import { makeCurrent, resealRows, type Verified, verifyAll } from './reseal.ts'

export interface RotateOptions {
  readonly config: Pick<Config, 'databaseUrl' | 'masterKey'>
  readonly nowMs: () => number
  /** Told when a step is done, each of them durable: a process that ends there can be followed by another. */
  readonly onStep: (step: RotationStep) => void
  /** How long a running gateway may take to notice a change of the key file, ms. */
  readonly patienceMs?: number
}

export type RotationStep =
  | { readonly name: 'added'; readonly keyId: string; readonly file: string }
  | { readonly name: 'taken'; readonly keyId: string }
  | { readonly name: 'current'; readonly keyId: string }
  | { readonly name: 'resealed'; readonly done: number; readonly of: number }

export interface Rotated extends Verified {
  /** Whether there was anything to do. */
  readonly isChanged: boolean
  readonly keyId: string
  /** Keys that stay at hand for the tokens that they signed. */
  readonly olderKeyIds: readonly string[]
}

const PATIENCE_MS = 30_000

/**
 * Gives a database a new master key, while a gateway works on it or not: the key is added to the file, the running
 * gateway takes it, it becomes current, everything is sealed anew with it and opened once. Older keys stay at hand, so
 * that nothing fails in between. Can be interrupted anywhere: the next call goes on.
 *
 * @throws RotationRunningError, NoNewKeyError, KeyNotTakenError, MasterKeyFileError, and what opening the database or its keys throws
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

export interface FinishOptions extends Omit<RotateOptions, 'onStep'> {
  /** Ends what older keys signed instead of waiting: the way when an older key has leaked. */
  readonly endTokens: boolean
}

export interface Finished {
  readonly keyId: string
  /** Keys that are gone from the file; for keys of the environment, those that can be taken out. */
  readonly removedKeyIds: readonly string[]
  /** The file that was changed; undefined when the keys are in the environment, where a person changes them. */
  readonly file: string | undefined
}

/**
 * Takes older keys out of the file, once nothing needs them: everything sealed opens with the current one, and no token
 * that counts was signed by another.
 *
 * @throws RotationRunningError, UnsealedRowsError, OldKeyNeededError, KeyNotTakenError, MasterKeyFileError
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
  if (ring.file !== undefined) {
    if (removedKeyIds.length > 0) await removeFromKeyFile(ring.file, removedKeyIds, keyId)
    // Also when an earlier call took them out: it may have ended before the gateway had forgotten them.
    await gatewayHas(parts, options, (held) => held.every((id) => id === keyId))
  }
  return { keyId, removedKeyIds, file: ring.file }
}

async function addKey(
  { ring }: RotationParts,
  currentId: string,
  onStep: RotateOptions['onStep'],
): Promise<void> {
  const { file } = ring
  if (file === undefined) throw new NoNewKeyError()
  await addToKeyFile(file, currentId)
  await ring.reload()
  onStep({ name: 'added', keyId: ring.keys().at(-1)?.keyId ?? '', file })
}

/** Of what is kept, not of what this process remembers: the key file is read again. */
async function report(parts: RotationParts, isChanged: boolean): Promise<Rotated> {
  await parts.ring.reload()
  const { keyId } = await parts.ring.current()
  const olderKeyIds = parts.ring.keys().flatMap((key) => (key.keyId === keyId ? [] : [key.keyId]))
  return { isChanged, keyId, olderKeyIds, ...(await verifyAll(parts)) }
}

/** Waits until the running gateway tells that it has the keys; without one there is nothing to wait for. */
async function gatewayHas(
  { path, facts, ring }: RotationParts,
  { patienceMs = PATIENCE_MS }: Pick<RotateOptions, 'patienceMs'>,
  isRight: (held: readonly string[]) => boolean,
): Promise<void> {
  const endMs = performance.now() + patienceMs
  while (isGatewayRunning(path)) {
    const held = ((await facts.get(HELD_KEYS_NAME)) ?? '').split(',')
    if (isRight(held)) return
    if (performance.now() > endMs) throw new KeyNotTakenError(ring.file ?? 'MASTER_KEY')
    await sleep(100)
  }
}
