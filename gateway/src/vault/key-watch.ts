import { statOf } from '../files/stat-of.ts'
import { ExposedMasterKeyError, InvalidMasterKeyError, MasterKeyFileError } from './errors.ts'
import type { KeyRing } from './key-ring.ts'

export interface KeyWatchDeps {
  readonly ring: Pick<KeyRing, 'file' | 'keys' | 'reload'>
  /** Tells commands which keys are loaded. */
  readonly announce: (keyIds: readonly string[]) => Promise<void>
  /** Called after the file was read again, with the ids of the loaded keys. */
  readonly onChange: (keyIds: readonly string[]) => void
  /** Called when the file cannot be used. The loaded keys stay. */
  readonly onError: (error: unknown) => void
  /**
   * Called when the database could not be asked which key is current, or the loaded keys could not
   * be recorded in it. The next look tries again.
   */
  readonly onStoreError: (error: unknown) => void
  /** Time between two looks at the file, in ms. */
  readonly everyMs?: number | undefined
}

const LOOK_EVERY_MS = 2_000

/**
 * Loads new keys from the key file while the gateway runs, and records them in the database: a
 * rotation seals nothing with a key before the gateway has loaded it. Polls the file, which works
 * on every file system.
 * @returns a function that stops the watch
 * @throws StoreUnwritableError when the first record fails, and what reading the file throws
 */
export async function watchKeys(deps: KeyWatchDeps): Promise<() => void> {
  const { ring, announce, onChange, onError, onStoreError, everyMs = LOOK_EVERY_MS } = deps
  const { file } = ring
  const loadedIds = () => ring.keys().map(({ keyId }) => keyId)
  let seen: string | undefined
  let recorded: string | undefined

  /** The stamp is taken before the file is read, so that the next look sees a change in between. */
  async function reloadIfChanged(path: string): Promise<boolean> {
    const stamp = await stampOf(path)
    if (stamp === seen) return false
    try {
      await ring.reload()
    } catch (error) {
      if (isAboutFile(error)) seen = stamp
      throw error
    }
    seen = stamp
    return true
  }

  async function record(): Promise<void> {
    const ids = loadedIds().join()
    if (ids === recorded) return
    await announce(loadedIds())
    recorded = ids
  }

  if (file === undefined) {
    await record()
    return () => {}
  }
  // Reads once more, for changes since the start read the file.
  await reloadIfChanged(file)
  await record()

  let isStopped = false
  let timer = setTimeout(look, everyMs, file).unref()
  async function look(path: string): Promise<void> {
    const isChanged = await reloadIfChanged(path).catch((error: unknown) =>
      isAboutFile(error) ? onError(error) : onStoreError(error),
    )
    await record().catch(onStoreError)
    if (isChanged === true) onChange(loadedIds())
    if (!isStopped) timer = setTimeout(look, everyMs, path).unref()
  }
  return () => {
    isStopped = true
    clearTimeout(timer)
  }
}

/** Whether only another file helps. */
const isAboutFile = (error: unknown): boolean =>
  error instanceof MasterKeyFileError ||
  error instanceof InvalidMasterKeyError ||
  error instanceof ExposedMasterKeyError

/** A text that changes when the file does. For a file that cannot be examined, it is the reason. */
async function stampOf(path: string): Promise<string> {
  const found = await statOf(path).catch((error: NodeJS.ErrnoException) => error)
  if (found === undefined || found instanceof Error) return String(found?.code)
  const { ino, size, mtimeMs, ctimeMs } = found
  return [ino, size, mtimeMs, ctimeMs].join()
}
