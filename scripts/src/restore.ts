import { resolve } from 'node:path'
import { readConfig } from 'gateway/config.ts'
import { type Restored, restore } from 'gateway/operations/restore.ts'
import { rowsText } from './backup.ts'
import { command, counted, runAsProcess, UsageError } from './cli.ts'

const USAGE = `Usage:
  npm run restore -- FILE [--replace]

Replaces the database that DATABASE_URL names with a backup. The gateway must be stopped. The command first checks the
whole backup and opens it with the master key. An existing database needs --replace and is kept under another name.`

export const run = command({
  usage: USAGE,
  options: { replace: { type: 'boolean' } },
  allowPositionals: true,
  async run({ replace }, [file, ...more], { env, console }) {
    if (file === undefined || more.length > 0) throw new UsageError()
    const restored = await restore({
      config: readConfig(env),
      file: resolve(file),
      replace: replace === true,
      nowMs: Date.now,
    })
    console.log(summaryOf(file, restored))
    return 0
  },
})

function summaryOf(file: string, restored: Restored): string {
  const { path, rows, keptAs, lastMs, inDoubt, sealed, admins } = restored
  return [
    `Restored ${path} from ${file}.`,
    `  ${rowsText(rows)}`,
    admins.length === 0
      ? '  No administrator can sign in; create one: npm run admin -- create --email E'
      : `  These administrators can sign in: ${admins.join(', ')}. If you do not know one of them, the backup was tampered with: do not start the gateway on it.`,
    ...(keptAs === undefined ? [] : [`  The previous database is kept as ${keptAs}`]),
    ...(sealed.unreadable === 0
      ? []
      : [
          `  ${sealed.unreadable} of ${counted(sealed.total, 'stored secret')} cannot be opened: add the older master key to the key file, or save these exchange keys again and let these authenticator apps be added again.`,
        ]),
    ...(lastMs === undefined
      ? []
      : [
          `It contains nothing after ${new Date(lastMs).toISOString()}. It does not know the orders that were placed later.`,
        ]),
    ...(inDoubt === 0
      ? []
      : [
          `Queued when the backup was made: ${counted(inDoubt, 'order')}. They may have been sent later: the gateway looks them up once the exchanges are resumed.`,
        ]),
    'Both exchanges are stopped until somebody resumes them. Read "After a restore" in docs/operations/backup.md first.',
    'Tokens issued later are not valid either: bots get new ones automatically.',
  ].join('\n')
}

await runAsProcess(import.meta, run)
