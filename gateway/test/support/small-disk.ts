import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { canMount, startSmallDisk } from './start-small-disk.ts'
import { tempFolder } from './temp-folder.ts'

export const CAN_MOUNT = canMount()

/** A small file system that ends with the test. */
export async function smallDisk(sizeMb: number) {
  const folder = join(tempFolder(), 'disk')
  mkdirSync(folder)
  const disk = await startSmallDisk(folder, sizeMb)
  onTestFinished(() => disk.end())
  return disk
}
