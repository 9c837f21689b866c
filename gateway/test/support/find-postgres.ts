import { spawnSync } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { delimiter, join } from 'node:path'

const OLDEST_VERSION = 15

/** Where packages put the programs of the server, which are on no PATH. */
const FOLDERS = [
  '/usr/lib/postgresql/*/bin',
  '/usr/pgsql-*/bin',
  '/opt/homebrew/opt/postgresql@*/bin',
]

/** What a skipped test says. */
export const NO_POSTGRES =
  'PostgreSQL 15 or newer is not installed, so its tests are skipped: run "apt-get install postgresql" as root.'

/**
 * The folder with `initdb` and `postgres` of the newest PostgreSQL on this machine; undefined when
 * there is none that is new enough.
 */
export function findPostgres(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const folders = [
    ...(env.PATH ?? '').split(delimiter),
    ...FOLDERS.flatMap((pattern) => globSync(pattern)),
  ]
  return folders
    .filter((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')))
    .map((folder) => ({ folder, version: versionOf(folder) }))
    .filter(({ version }) => version >= OLDEST_VERSION)
    .toSorted((one, other) => other.version - one.version)[0]?.folder
}

/** The major version; 0 when it does not run here. */
function versionOf(folder: string): number {
  const { stdout } = spawnSync(join(folder, 'postgres'), ['--version'], { encoding: 'utf8' })
  return Number(/ (\d+)/.exec(stdout ?? '')?.[1] ?? 0)
}
