import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/** Whether this system lets a process mount a file system of its own. */
export const canMount = (): boolean =>
  spawnSync('unshare', ['-rm', 'sh', '-c', 'mount -t tmpfs tmpfs /tmp']).status === 0

/**
 * A small file system on a folder. Only processes that are started `through` it see it under
 * `folder`; this one sees it under `seen`. The caller ends it.
 */
export async function startSmallDisk(folder: string, sizeMb: number) {
  const mount = 'mount -t tmpfs -o "size=$1" tmpfs "$0" && echo mounted && exec cat'
  const holder = spawn('unshare', ['-rm', 'sh', '-c', mount, folder, `${sizeMb}m`], {
    // Its end is the end of this process at the latest.
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  await once(holder.stdout, 'data')
  const seen = `/proc/${holder.pid}/root${folder}`
  const ballast = join(seen, 'ballast')
  return {
    folder,
    seen,
    through: ['nsenter', '-t', `${holder.pid}`, '-U', '-m', '--preserve-credentials'],
    /** Writes until nothing is left. */
    fill(): void {
      const file = openSync(ballast, 'a')
      try {
        for (const bytes of [1024 ** 2, 4_096])
          for (const chunk = Buffer.alloc(bytes); hasRoom(() => writeSync(file, chunk)); );
      } finally {
        closeSync(file)
      }
    },
    free: () => rmSync(ballast),
    freeBytes(): number {
      const { bavail, bsize } = statfsSync(seen)
      return bavail * bsize
    },
    async end(): Promise<void> {
      const ended = once(holder, 'exit')
      holder.kill('SIGKILL')
      await ended
    },
  }
}

function hasRoom(write: () => unknown): boolean {
  try {
    write()
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOSPC') return false
    throw error
  }
}
