import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { parseArgs } from 'node:util'
import { readConfig } from 'gateway/config.ts'
import { createAdminStore } from 'gateway/store/admin-store.ts'
import { openStore } from 'gateway/store/open.ts'
import { createPasswords, generatePassword } from 'gateway/vault/password.ts'
import { fieldMessage, LoginRequest } from 'schema'
import Value from 'typebox/value'
import { requireNode24, startFailure } from './cli.ts'

const USAGE = `Usage:
  npm run admin -- create --email E [--password P]

Makes an administrator in the database that DATABASE_URL names. Without --password it asks for one;
an empty answer, or no terminal to ask at, gives a generated one, which is shown once.`

requireNode24()
try {
  process.exitCode = await run(process.argv.slice(2))
} catch (error) {
  console.error(startFailure(error))
  process.exitCode = 1
}

async function run(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { email: { type: 'string' }, password: { type: 'string' } },
  })
  if (positionals.join(' ') !== 'create' || values.email === undefined) {
    console.error(USAGE)
    return 2
  }
  return create(values.email.trim(), values.password)
}

async function create(email: string, given: string | undefined): Promise<number> {
  const asked = given ?? (process.stdin.isTTY ? await askPassword() : '')
  const password = asked === '' ? generatePassword() : asked
  const problem = [...Value.Errors(LoginRequest, { email, password })][0]
  if (problem !== undefined) {
    const field = problem.instancePath === '/email' ? 'email' : 'password'
    console.error(fieldMessage(LoginRequest, field) ?? problem.message)
    return 1
  }
  const store = openStore(readConfig(process.env).databaseUrl)
  try {
    await createAdminStore(store.db).insert({
      email,
      passwordHash: await createPasswords().hash(password),
      createdAtMs: Date.now(),
    })
  } finally {
    store.close()
  }
  console.log(`${email} can sign in now.`)
  if (asked === '') console.log(`Password, shown this once: ${password}`)
  return 0
}

/** Asks without showing what is typed. */
async function askPassword(): Promise<string> {
  process.stdout.write('Password (empty: generate one): ')
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const prompt = createInterface({ input: process.stdin, output: silent, terminal: true })
  try {
    return await prompt.question('')
  } finally {
    prompt.close()
    process.stdout.write('\n')
  }
}
