import { readConfig } from 'gateway/config.ts'
import { openStore } from 'gateway/store/open.ts'
import { createAdminCommands } from './admin/admin-commands.ts'
import { choosePassword } from './admin/choose-password.ts'
import { runCommand, UsageError } from './cli.ts'

const USAGE = `Usage:
  npm run admin -- create --email E [--password P]
  npm run admin -- reset-password --email E [--password P]
  npm run admin -- list
  npm run admin -- disable --email E
  npm run admin -- enable --email E

Administrators of the database that DATABASE_URL names; a gateway that runs knows of a change at once. Without --password
it asks for one; an empty answer, or no terminal to ask at, gives a generated one, which is shown once. A new password and
"disable" end all sessions of the administrator.`

await runCommand({
  usage: USAGE,
  options: { email: { type: 'string' }, password: { type: 'string' } },
  allowPositionals: true,
  async run({ email, password }, [command, ...more]) {
    const job = more.length === 0 ? jobOf(command, email?.trim(), password) : undefined
    if (job === undefined) throw new UsageError()
    const store = openStore(readConfig(process.env).databaseUrl)
    try {
      console.log(await job(createAdminCommands(store.db, Date.now)))
      return 0
    } finally {
      store.close()
    }
  },
})

type Job = (commands: ReturnType<typeof createAdminCommands>) => Promise<string>

/** What the command is; undefined when there is none of that form. */
function jobOf(
  command: string | undefined,
  email: string | undefined,
  password: string | undefined,
): Job | undefined {
  if (command === 'list' && email === undefined) return (commands) => commands.list()
  if (email === undefined) return undefined
  const choose = () => choosePassword(email, password)
  const jobs: Readonly<Record<string, Job>> = {
    create: async (commands) => commands.create(email, await choose()),
    'reset-password': async (commands) =>
      commands.resetPassword(await commands.find(email), choose),
    disable: async (commands) => commands.disable(email),
    enable: async (commands) => commands.enable(email),
  }
  return jobs[command ?? '']
}
