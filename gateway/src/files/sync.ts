import { open } from 'node:fs/promises'

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
