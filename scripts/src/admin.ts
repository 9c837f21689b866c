import { readConfig } from 'gateway/config.ts'
import { openBeside } from 'gateway/store/create-stores.ts'
import { ROLES } from 'schema'
import { createAdminCommands } from './admin/admin-commands.ts'
import { choosePassword, type PasswordSource } from './admin/choose-password.ts'
import { command, runAsProcess, UsageError } from './cli.ts'

const USAGE = `Usage:
  npm run admin -- create --email E [--role viewer|operator|admin] [--password-stdin]
  npm run admin -- reset-password --email E [--password-stdin]
  npm run admin -- set-role --email E --role viewer|operator|admin
  npm run admin -- remove-second-factor --email E
  npm run admin -- list
  npm run admin -- disable --email E
  npm run admin -- enable --email E

Manages the administrators in the database that DATABASE_URL names; a running gateway sees a change at once. The command
asks for the password; with empty input, or without a terminal, it generates one and shows it once. --password-stdin
reads it from the first line of the standard input. --password P works too, but do not use it: npm writes the command line
into its log, and other users of the machine see it. A new password has at least 12 characters and is not a common one.
Without --role, a new administrator has the role admin. What changes ends all sessions of the administrator.`

const EXPOSED =
  'A password on the command line can be read by other users of this machine and is written to the logs of npm (~/.npm/_logs). Use --password-stdin or the prompt, and change this one with reset-password.'

export const run = command({
  usage: USAGE,
  options: {
    email: { type: 'string' },
    password: { type: 'string' },
    role: { type: 'string' },
    'password-stdin': { type: 'boolean' },
  },
  allowPositionals: true,
  async run(values, [name, ...more], { env, io, console }) {
    const { email, password, role, 'password-stdin': isPiped = false } = values
    const source = { given: password, isPiped, io }
    const job = more.length === 0 ? jobOf(name, email?.trim(), role, source) : undefined
    if (job === undefined || (isPiped && password !== undefined)) throw new UsageError()
    if (password !== undefined) console.error(EXPOSED)
    const stores = await openBeside(readConfig(env).databaseUrl)
    try {
      console.log(await job(createAdminCommands(stores, Date.now)))
      return 0
    } finally {
      await stores.close()
    }
  },
})

type Job = (commands: ReturnType<typeof createAdminCommands>) => Promise<string>

/** What a command of this name does; undefined when there is none of that form. */
function jobOf(
  name: string | undefined,
  email: string | undefined,
  givenRole: string | undefined,
  source: PasswordSource,
): Job | undefined {
  const role = ROLES.find((each) => each === givenRole)
  // A misspelled role does not become the default.
  if (role === undefined && givenRole !== undefined) return undefined
  if (name === 'list' && email === undefined && role === undefined)
    return (commands) => commands.list()
  if (email === undefined) return undefined
  const choose = () => choosePassword(email, source)
  if (name === 'create') return async (commands) => commands.create(email, await choose(), role)
  if (name === 'set-role')
    return role === undefined ? undefined : (commands) => commands.setRole(email, role)
  if (role !== undefined) return undefined
  const jobs: Readonly<Record<string, Job>> = {
    'remove-second-factor': (commands) => commands.removeSecondFactor(email),
    'reset-password': async (commands) =>
      commands.resetPassword(await commands.find(email), choose),
    disable: async (commands) => commands.disable(email),
    enable: async (commands) => commands.enable(email),
  }
  return jobs[name ?? '']
}

await runAsProcess(import.meta, run)
