import type { Stats } from 'node:fs'
import { link, open, rename, stat } from 'node:fs/promises'

/**
 * The status of a file; undefined when it does not exist.
 * @throws every other error, such as EACCES: it does not prove that the file is missing
 */
export async function statOf(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

/**
 * Gives a file a name that no other file has. The old name stays where the file system supports
 * links. Where it does not, as on some mounted shares, the file is renamed.
 * @throws EEXIST when the name is taken: nothing is ever replaced
 */
export async function giveName(path: string, name: string): Promise<void> {
  await link(path, name).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST' || (await statOf(name)) !== undefined) throw error
    await rename(path, name)
  })
}

/** Waits until a file's content is on the disk. */
export async function syncFile(path: string): Promise<void> {
  await using file = await open(path, 'r+')
  await file.sync()
}

/**
 * Waits until the names in a folder are on the disk: after that, a new or changed name survives a
 * power cut. Windows cannot open folders and needs no sync.
 */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  await using folder = await open(path, 'r')
  await folder.sync()
}
