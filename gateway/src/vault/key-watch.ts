import { statOf } from '../files/stat-of.ts'
import type { Facts, KeyRing } from './key-ring.ts'

/** The fact in which a running gateway says which master keys it has at hand, separated by commas. */
export const HELD_KEYS_NAME = 'gateway_key_ids'

export interface KeyWatchDeps {
  readonly ring: Pick<KeyRing, 'file' | 'keys' | 'reload'>
  readonly facts: Pick<Facts, 'set'>
  /** The file was read again: these are the keys at hand now. */
  readonly onChange: (keyIds: readonly string[]) => void
  /** The file cannot be used; the keys stay as they were. */
  readonly onError: (error: unknown) => void
  /** The keys are taken, and the database could not be told so; it is told at the next look. */
  readonly onUntold: (error: unknown) => void
  /** Time between two looks at the file, ms. */
  readonly everyMs?: number | undefined
}

const LOOK_EVERY_MS = 2_000

/**
 * Takes new keys from the key file while the gateway runs, and tells so in the database: a rotation seals nothing with
 * a key before the gateway has it. Looks at the file now and then, which works on every file system. Returns what
 * stops it.
 *
 * @throws StoreUnwritableError when it cannot be told at the start, and what reading the file throws
 */
export async function watchKeys(deps: KeyWatchDeps): Promise<() => void> {
  const { ring, facts, onChange, onError, onUntold, everyMs = LOOK_EVERY_MS } = deps
  const { file } = ring
  const idsHeld = () => ring.keys().map(({ keyId }) => keyId)
  let seen: string | undefined
  let told: string | undefined

  /** The stamp is taken before the file is read: what changes meanwhile is seen at the next look. */
  async function take(path: string): Promise<boolean> {
    const stamp = await stampOf(path)
    if (stamp === seen) return false
    seen = stamp
    await ring.reload()
    return true
  }

  async function tell(): Promise<void> {
    const ids = idsHeld().join()
    if (ids === told) return
    await facts.set(HELD_KEYS_NAME, ids)
    told = ids
  }

  if (file === undefined) {
    await tell()
    return () => {}
  }
  // Once more, for what was changed since the start read it.
  await take(file)
  await tell()

  let isStopped = false
  let timer = setTimeout(look, everyMs, file).unref()
  async function look(path: string): Promise<void> {
    const isChanged = await take(path).catch(onError)
    await tell().catch(onUntold)
    if (isChanged === true) onChange(idsHeld())
    if (!isStopped) timer = setTimeout(look, everyMs, path).unref()
  }
  return () => {
    isStopped = true
    clearTimeout(timer)
  }
}

/** Tells one state of a file from another; of one that cannot be looked at, why not. */
async function stampOf(path: string): Promise<string> {
  const found = await statOf(path).catch((error: NodeJS.ErrnoException) => error)
  if (found === undefined || found instanceof Error) return String(found?.code)
  const { ino, size, mtimeMs, ctimeMs } = found
  return [ino, size, mtimeMs, ctimeMs].join()
}
