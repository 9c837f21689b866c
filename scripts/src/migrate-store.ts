import { type MovedStore, moveStore } from 'gateway/operations/move-store.ts'
import { isPostgresUrl } from 'gateway/store/database-path.ts'
import { unfinishedFiles } from 'gateway/store/sqlite/move.ts'
import { rowsText } from './backup.ts'
import { command, counted, progressLine, runAsProcess, UsageError } from './cli.ts'

const USAGE = `Usage:
  npm run migrate-store -- FROM TO

Moves an installation from a database in a file to PostgreSQL, or back. FROM and TO are what DATABASE_URL would be: one is
a file, such as file:./data/sluice.db, the other one is such as postgres://sluice@10.0.0.2/sluice?sslmode=verify-full. The
gateway must be stopped. TO must be empty: a file that does not exist, or a new database. The command copies every row,
compares both databases row by row and checks the audit trail. Until that is done TO holds nothing; FROM is only read.
The password of PostgreSQL belongs into the variable PGPASSWORD: npm writes the command line into its log.`

const EXPOSED =
  'A password on the command line can be read by other users of this machine and is written to the logs of npm (~/.npm/_logs). Leave it out of the URL and set PGPASSWORD instead.'

export const run = command({
  usage: USAGE,
  allowPositionals: true,
  async run(_values, [from, to, ...more], { io, console }) {
    if (from === undefined || to === undefined || more.length > 0) throw new UsageError()
    if ([from, to].some(hasPassword)) console.error(EXPOSED)
    if (!isPostgresUrl(to))
      for (const path of unfinishedFiles(to))
        console.error(`${path} is what a command left that was killed. Remove it.`)
    const { update, clear } = progressLine(io.err, () => performance.now())
    const moved = await moveStore({
      ...{ from, to, nowMs: Date.now },
      onProgress: ({ step, table, done, total }) =>
        update(() => `${table}: ${done} of ${total} rows ${step}`),
    }).finally(clear)
    console.log(textOf(moved, isPostgresUrl(to)))
    return 0
  },
})

function hasPassword(url: string): boolean {
  return isPostgresUrl(url) && URL.canParse(url) && new URL(url).password !== ''
}

function textOf(moved: MovedStore, toPostgres: boolean): string {
  const { from, to, rows, changed, lostNames, brokenEntry } = moved
  return [
    `Moved ${from} to ${to}; every row was compared.`,
    `  ${rowsText(rows)}`,
    ...Object.entries(changed).map(
      ([table, count]) =>
        `  ${counted(count, 'row')} of ${table} had the character U+0000, which PostgreSQL cannot store: it is U+FFFD now.`,
    ),
    ...(lostNames === 0
      ? []
      : [
          `  ${counted(lostNames, 'order name')} longer than 512 characters or with U+0000 cannot be stored: nobody finds the order by it. The order is there.`,
        ]),
    ...(brokenEntry === undefined
      ? []
      : [
          `  The audit trail is broken at entry ${brokenEntry}, as it was in ${from}: run npm run doctor.`,
        ]),
    'The master key is not in the database: the gateway needs the one that it had before. Set MASTER_KEY_FILE to its file, which is beside a database in a file unless it was set, or MASTER_KEY.',
    toPostgres
      ? 'Set DATABASE_URL to the new database, start the gateway, and read npm run doctor. The file has a password in DATABASE_URL now: keep .env readable for its user only.'
      : `Set DATABASE_URL=file:${to} and start the gateway, as the user that owns the file (mode 0600), then read npm run doctor.`,
    `Never start a gateway on ${from} again: it does not know the orders that are placed from now on. Keep it, with a backup, until the new one has proven itself; then delete it.`,
  ].join('\n')
}

await runAsProcess(import.meta, run)
