import { copyFileSync, existsSync, mkdirSync, mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { startSmallDisk } from '../support/start-small-disk.ts'

const DISK_MB = 48

/** Where the gateway of a round keeps its database and its master key. */
export interface DataFolder {
  /** As the gateway and the commands see it. */
  readonly folder: string
  /** A program that starts them, and its arguments. */
  readonly through: readonly string[]
  /** How this process sees one of its files. */
  seen(name: string): string
  /** A copy of the database and its write-ahead log, which no process changes meanwhile. */
  copyOfDatabase(): string
  /** Absent unless it is on a small disk. */
  readonly disk?: { fill(): void; free(): void }
  end(): Promise<void>
}

/** @param isSmall whether it is on a disk of its own that can be filled */
export async function createDataFolder(root: string, isSmall: boolean): Promise<DataFolder> {
  const folder = join(root, 'data')
  mkdirSync(folder)
  const disk = isSmall ? await startSmallDisk(folder, DISK_MB) : undefined
  const seen = (name: string) => join(disk?.seen ?? folder, name)
  return {
    folder,
    seen,
    through: disk?.through ?? [],
    copyOfDatabase() {
      const copy = join(mkdtempSync(join(root, 'copy-')), 'sluice.db')
      for (const end of ['', '-wal'])
        if (existsSync(seen(`sluice.db${end}`)))
          copyFileSync(seen(`sluice.db${end}`), `${copy}${end}`)
      return copy
    },
    ...(disk === undefined ? {} : { disk }),
    end: async () => disk?.end(),
  }
}
