import { resolve } from 'node:path'
import { readConfig } from 'gateway/config.ts'
import { type Restored, restore } from 'gateway/operations/restore.ts'
import { counted, runCommand, UsageError } from './cli.ts'
import { rowsText } from './rows-text.ts'

const USAGE = `Usage:
  npm run restore -- FILE [--replace]

Puts a backup in the place of the database that DATABASE_URL names. The gateway must be stopped. The backup is read
through and opened with the master key first. A database that is there is kept under another name, with --replace.`

await runCommand({
  usage: USAGE,
  options: { replace: { type: 'boolean' } },
  allowPositionals: true,
  async run({ replace }, [file, ...more]) {
    if (file === undefined || more.length > 0) throw new UsageError()
    const restored = await restore({
      config: readConfig(process.env),
      file: resolve(file),
      replace: replace === true,
      nowMs: Date.now,
    })
    console.log(told(file, restored))
    return 0
  },
})

function told(file: string, restored: Restored): string {
  const { path, rows, keptAs, lastMs, inDoubt, sealed, admins } = restored
  return [
    `Restored ${path} from ${file}.`,
    `  ${rowsText(rows)}`,
    admins.length === 0
      ? '  Nobody can sign in: npm run admin -- create --email E'
      : `  Who can sign in as administrator: ${admins.join(', ')}. If one of them is not yours, the backup was tampered with: do not start on it.`,
    ...(keptAs === undefined ? [] : [`  The database that was there is kept as ${keptAs}`]),
    ...(sealed.unreadable.length === 0
      ? []
      : [
          `  ${sealed.unreadable.length} of ${counted(sealed.total, 'exchange key')} do not open: add the older master key to the key file, or save them again.`,
        ]),
    ...(lastMs === undefined
      ? []
      : [
          `It knows nothing that happened after ${new Date(lastMs).toISOString()}. An order that was placed after that is unknown to it:`,
          'stop the bots, look at the exchange what stands there, and let no bot retry an older order with its old idempotency key.',
        ]),
    ...(inDoubt === 0
      ? []
      : [
          `Waiting when the backup was made: ${counted(inDoubt, 'order')}. Whether they were sent after that, the exchange alone knows.`,
        ]),
    'Tokens that were issued since are unknown too: bots get new ones by themselves.',
  ].join('\n')
}
