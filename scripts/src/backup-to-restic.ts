import { spawn } from 'node:child_process'
import { mkdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { readConfig } from 'gateway/config.ts'
import { recordGoodBackup } from 'gateway/operations/record-backup.ts'
import { databasePath } from 'gateway/store/database-path.ts'
import { makeBackup } from './backup.ts'
import { type Call, command, RefusedError, runAsProcess } from './cli.ts'

const USAGE = `Usage:
  npm run backup-to-restic
  npm run backup-to-restic -- --check

Makes a backup of the database that DATABASE_URL names, adds it to a restic repository, and forgets the snapshots that
BACKUP_KEEP does not keep. With --check: removes from the repository what is forgotten, and checks the repository and a
tenth of its data. restic reads RESTIC_REPOSITORY, RESTIC_PASSWORD_FILE and its other settings from the environment.`

/** One name for all snapshots: the rule is for all of them together. */
const HOST = 'sluice'
const KEEP =
  '--keep-within 1d --keep-within-hourly 7d --keep-within-daily 2m --keep-within-monthly 2y'
/** The name of the file in each snapshot. */
const FILE = 'sluice.db'

export const run = command({
  usage: USAGE,
  options: { check: { type: 'boolean' } },
  async run({ check = false }, _positionals, call) {
    await (check ? pruneAndCheck(call) : backUpAndForget(call))
    return 0
  },
})

async function backUpAndForget(call: Call): Promise<void> {
  const { env } = call
  const path = databasePath(readConfig(env).databaseUrl)
  // systemd's folder for this unit, or one beside the database.
  const folder = env.CACHE_DIRECTORY ?? join(dirname(path), 'backup-to-restic')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const copy = join(folder, FILE)
  const atMs = Date.now()
  await rm(copy, { force: true }) // Left by a run that was killed.
  try {
    await makeBackup(path, copy, call)
    await restic(call, ['backup', '--host', HOST, '--time', resticTime(atMs), FILE], folder)
  } finally {
    await rm(copy, { force: true })
  }
  await recordGoodBackup(path, atMs)
  const keep = (env.BACKUP_KEEP ?? KEEP).trim().split(/\s+/)
  await restic(call, ['forget', '--group-by', 'host', '--host', HOST, ...keep])
}

async function pruneAndCheck(call: Call): Promise<void> {
  await restic(call, ['prune'])
  await restic(call, ['check', '--read-data-subset', '10%'])
}

/** The moment of a snapshot, as restic takes it: local time without a zone. */
function resticTime(ms: number): string {
  const local = new Date(ms - new Date(ms).getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 19).replace('T', ' ')
}

/** Runs restic to its end, with its output on ours. @throws RefusedError */
async function restic({ env, io }: Call, args: readonly string[], cwd = '.'): Promise<void> {
  // On the terminal itself it shows how far it is.
  const [out, err] = [io.out, io.err].map((stream) => ('fd' in stream ? stream : 'pipe'))
  const child = spawn('restic', args, { cwd, env, stdio: ['ignore', out, err] })
  child.stdout?.pipe(io.out, { end: false })
  child.stderr?.pipe(io.err, { end: false })
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', () =>
      reject(new RefusedError('restic is not installed: run "apt-get install restic" as root.')),
    )
    child.once('close', resolve)
  })
  if (code !== 0) throw new RefusedError(`restic ${args[0]} failed; see what it said above.`)
}

await runAsProcess(import.meta, run)
