import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { readConfig } from 'gateway/config.ts'
import { byCommand } from 'gateway/operations/command-line.ts'
import type { AdminChanges, AdminRow } from 'gateway/store/admin-store.ts'
import type { AuditAct } from 'gateway/store/audit-chain.ts'
import { openBeside } from 'gateway/store/create-stores.ts'
import type { Stores } from 'gateway/store/stores.ts'
import { createPasswords, generatePassword, requireGoodPassword } from 'gateway/vault/password.ts'
import {
  type AuditAction,
  fieldMessage,
  LoginRequest,
  PASSWORD_LENGTH_MAX,
  ROLES,
  type Role,
} from 'schema'
import Value from 'typebox/value'
import { command, counted, type Io, RefusedError, runAsProcess, UsageError } from './cli.ts'

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
      console.log(await job(new AdminCommands(stores, Date.now)))
      return 0
    } finally {
      await stores.close()
    }
  },
})

type Job = (commands: AdminCommands) => Promise<string>

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

interface ChosenPassword {
  readonly password: string
  /** The person did not choose it and has to see it. */
  readonly isGenerated: boolean
}

interface PasswordSource {
  /** On the command line; undefined when it is not there. */
  readonly given: string | undefined
  /** Whether it is the first line of the standard input. */
  readonly isPiped: boolean
  /** Where it is read, or asked for. */
  readonly io: Pick<Io, 'in' | 'out'>
}

/**
 * The password that was given, is typed now, or is generated.
 * @throws RefusedError when nobody could sign in with it, or everybody would guess it
 */
async function choosePassword(
  email: string,
  { given, isPiped, io }: PasswordSource,
): Promise<ChosenPassword> {
  const asked = given ?? (await (isPiped ? readPassword(io) : askPassword(io)))
  const password = asked === '' ? generatePassword() : asked
  if (!Value.Check(LoginRequest.properties.email, email))
    throw new RefusedError(fieldMessage(LoginRequest, 'email') ?? 'Invalid email address')
  if (password.length > PASSWORD_LENGTH_MAX)
    throw new RefusedError(`The password has more than ${PASSWORD_LENGTH_MAX} characters`)
  await requireGoodPassword(password, email).catch((error: Error) => {
    throw new RefusedError(error.message)
  })
  return { password, isGenerated: asked === '' }
}

/** @throws RefusedError when there is none: a person who pipes a password wants no generated one */
async function readPassword(io: PasswordSource['io']): Promise<string> {
  const [line = ''] = (await text(io.in)).split(/\r?\n/)
  if (line === '') throw new RefusedError('No password was given on the standard input')
  return line
}

/** Asks without showing what is typed; empty when there is nobody to ask. */
async function askPassword(io: PasswordSource['io']): Promise<string> {
  if (!io.in.isTTY) return ''
  io.out.write('Password (empty: generate one): ')
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const prompt = createInterface({ input: io.in, output: silent, terminal: true })
  try {
    return await prompt.question('')
  } finally {
    prompt.close()
    io.out.write('\n')
  }
}

/**
 * What can be done with administrators from a terminal. Each command returns the text for the
 * person.
 */
class AdminCommands {
  readonly #stores: Pick<Stores, 'admins' | 'secondFactors'>
  readonly #nowMs: () => number
  readonly #passwords = createPasswords()

  constructor(stores: Pick<Stores, 'admins' | 'secondFactors'>, nowMs: () => number) {
    this.#stores = stores
    this.#nowMs = nowMs
  }

  /** @throws RefusedError when there is none */
  async find(email: string): Promise<AdminRow> {
    const admin = await this.#stores.admins.findByEmail(email)
    if (admin === undefined)
      throw new RefusedError(`There is no administrator "${email}"; "list" shows the existing ones`)
    return admin
  }

  /** @throws AdminExistsError */
  async create(email: string, chosen: ChosenPassword, role: Role = 'admin'): Promise<string> {
    const passwordHash = await this.#passwords.hash(chosen.password)
    const admin = { email, passwordHash, role, createdAtMs: this.#nowMs() }
    await this.#stores.admins.insert(admin, {
      ...this.#entry('admin.created', email),
      after: { role },
    })
    return `${email} can sign in now, with the role ${role}.${shownOnce(chosen)}`
  }

  async setRole(email: string, role: Role): Promise<string> {
    const admin = await this.find(email)
    const facts = { before: { role: admin.role }, after: { role } }
    const ended = await this.#change(admin, { role }, 'admin.role-changed', facts)
    return `${admin.email} has the role ${role}; ${counted(ended, 'session')} ended.${await this.#nobodyLeft()}`
  }

  /** For a person who lost the second factor and the recovery codes. */
  async removeSecondFactor(email: string): Promise<string> {
    const admin = await this.find(email)
    const factors = await this.#factorsOf(admin)
    const facts = { before: { factors }, after: { factors: [] } }
    const changes = { withoutSecondFactor: true }
    const ended = await this.#change(admin, changes, 'admin.second-factor-removed', facts)
    return factors.length === 0
      ? `${admin.email} has no second factor.`
      : `${admin.email} signs in with the password alone now; ${counted(ended, 'session')} ended.`
  }

  /** Sets the new password and ends the sessions that began with the old one. */
  async resetPassword(admin: AdminRow, choose: () => Promise<ChosenPassword>): Promise<string> {
    const chosen = await choose()
    const passwordHash = await this.#passwords.hash(chosen.password)
    const ended = await this.#change(admin, { passwordHash }, 'admin.password-reset')
    const stillDisabled =
      admin.disabledAtMs === null ? '' : '\nThe account is disabled; "enable" lets it sign in.'
    return `${admin.email} has a new password; ${counted(ended, 'session')} ended.${shownOnce(chosen)}${stillDisabled}`
  }

  async list(): Promise<string> {
    const rows = await this.#stores.admins.list()
    if (rows.length === 0)
      return 'There is no administrator. Create one: npm run admin -- create --email E'
    return (await Promise.all(rows.map(async (row) => line(row, await this.#factorsOf(row))))).join(
      '\n',
    )
  }

  async disable(email: string): Promise<string> {
    const admin = await this.find(email)
    const disabledAtMs = admin.disabledAtMs ?? this.#nowMs()
    const ended = await this.#change(admin, { disabledAtMs }, 'admin.disabled')
    const others = (await this.#stores.admins.list()).filter(
      (row) => row.disabledAtMs === null,
    ).length
    return `${admin.email} can no longer sign in; ${counted(ended, 'session')} ended. ${
      others === 0 ? 'Nobody can sign in now.' : `${counted(others, 'other')} can.`
    }${others === 0 ? '' : await this.#nobodyLeft()}`
  }

  async enable(email: string): Promise<string> {
    const admin = await this.find(email)
    await this.#change(admin, { disabledAtMs: null }, 'admin.enabled')
    return `${admin.email} can sign in.`
  }

  #entry(action: AuditAction, email: string) {
    return byCommand(this.#nowMs(), { action, subjectKind: 'admin', subject: email })
  }

  /** The kinds of the second factors, each once. */
  async #factorsOf({ id }: AdminRow): Promise<string[]> {
    return [...new Set((await this.#stores.secondFactors.list(id)).map(({ kind }) => kind))]
  }

  /** Says when a change left nobody who manages the gateway. */
  async #nobodyLeft(): Promise<string> {
    const isAdmin = ({ role, disabledAtMs }: AdminRow) => role === 'admin' && disabledAtMs === null
    const all = await this.#stores.admins.list()
    return all.some(isAdmin) ? '' : ' Nobody with the role admin can sign in now.'
  }

  /** Changes an administrator, and ends the sessions. @returns how many ended */
  async #change(
    { id, email }: AdminRow,
    changes: AdminChanges,
    action: AuditAction,
    facts: Pick<AuditAct, 'before' | 'after'> = {},
  ): Promise<number> {
    const changed = await this.#stores.admins.change(id, changes, {
      ...{ atMs: this.#nowMs(), mayLeaveNoAdmin: true },
      toEntries: () => [{ ...this.#entry(action, email), ...facts }],
    })
    return changed?.endedSessions ?? 0
  }
}

function line(
  { email, role, createdAtMs, disabledAtMs }: AdminRow,
  factors: readonly string[],
): string {
  const state = disabledAtMs === null ? 'active' : `disabled since ${day(disabledAtMs)}`
  const second = factors.length === 0 ? 'no second factor' : factors.join(' and ')
  return `${email}  ${role}  ${second}  created ${day(createdAtMs)}  ${state}`
}

const day = (ms: number) => new Date(ms).toISOString().slice(0, 10)

function shownOnce({ password, isGenerated }: ChosenPassword): string {
  return isGenerated ? `\nPassword, shown only once: ${password}` : ''
}

await runAsProcess(import.meta, run)
