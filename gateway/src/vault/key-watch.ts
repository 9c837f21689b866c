import { unwatchFile, watchFile } from 'node:fs'
import type { KeyRing, Settings } from './key-ring.ts'

/** The setting in which a running gateway says which master keys it has at hand, separated by commas. */
export const HELD_KEYS_NAME = 'gateway_key_ids'

export interface KeyWatchDeps {
  readonly ring: Pick<KeyRing, 'file' | 'keys' | 'reload'>
  readonly settings: Pick<Settings, 'set'>
  /** The file was read again: these are the keys at hand now. */
  readonly onChange: (keyIds: readonly string[]) => void
  /** The file or the database could not be used; the keys stay as they were. */
  readonly onError: (error: unknown) => void
  /** Time between two looks at the file, ms. */
  readonly everyMs?: number | undefined
}

const LOOK_EVERY_MS = 2_000

/**
 * Takes new keys from the key file while the gateway runs, and tells so in the database: a rotation seals nothing with
 * a key before the gateway has it. Looks at the file now and then, which works on every file system. Returns what
 * stops it.
 *
 * @throws StoreUnwritableError when it cannot be told at the start
 */
export async function watchKeys(deps: KeyWatchDeps): Promise<() => void> {
  const { ring, settings, onChange, onError, everyMs = LOOK_EVERY_MS } = deps
  const { file } = ring
  const idsHeld = () => ring.keys().map(({ keyId }) => keyId)
  const tell = () => settings.set(HELD_KEYS_NAME, idsHeld().join())

  async function reload(): Promise<void> {
    await ring.reload()
    await tell()
    onChange(idsHeld())
  }

  await tell()
  if (file === undefined) return () => {}
  const look = () => void reload().catch(onError)
  watchFile(file, { interval: everyMs, persistent: false }, look)
  return () => unwatchFile(file, look)
}
