import { readdirSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { createAuditStore } from 'gateway/store/sqlite/audit-store.ts'
import { openStore } from 'gateway/store/sqlite/open.ts'
import { storesBeside } from 'gateway/store/sqlite/stores-beside.ts'
import { listClients, login } from 'schema'
import { expect, onTestFinished, test, vi } from 'vitest'
import { testApp } from '../../gateway/test/app.ts'
import { tempFolder } from '../../gateway/test/support/temp-folder.ts'
import { createAdminCommands } from '../src/admin/admin-commands.ts'
import { runCommand } from './support/run-command.ts'

// Several processes start in each test, on machines that do other things as well.
vi.setConfig({ testTimeout: 120_000 })

/** The command beside a database. */
const adminOf =
  (DATABASE_URL: string) =>
  (...args: string[]) =>
    runCommand('admin', { DATABASE_URL }, args)

/** A gateway that runs over a database file, and the command beside it. */
async function beside() {
  const DATABASE_URL = `file:${join(tempFolder(), 'sluice.db')}`
  const { app, asAdmin } = await testApp({ env: { DATABASE_URL } })
  const signIn = async (email: string, password: string) =>
    (await app.inject({ method: 'POST', url: login.path, payload: { email, password } })).statusCode
  const statusOf = async (headers: Record<string, string>) =>
    (await app.inject({ url: listClients.path, headers })).statusCode
  const store = openStore(DATABASE_URL)
  onTestFinished(() => store.close())
  const commands = createAdminCommands(
    storesBeside(store.db, store.path, () => {}),
    Date.now,
  )
  const run = (args: readonly string[], input: string) =>
    runCommand('admin', { DATABASE_URL }, args, input)
  const audit = createAuditStore(store.db)
  const db = store.db.$client
  return { admin: adminOf(DATABASE_URL), run, commands, signIn, statusOf, asAdmin, audit, db }
}

test('an administrator who lost the password gets a new one while the gateway runs, and all sessions end', async () => {
  const { admin, commands, signIn, statusOf, asAdmin } = await beside()
  expect(await statusOf(asAdmin)).toBe(200)
  const reset = await admin('reset-password', '--email', 'ADMIN@sluice.test')
  expect(reset).toMatchObject({ code: 0, output: expect.stringContaining('1 session ended') })
  const password = /shown only once: (\S+)/.exec(reset.output)?.[1] ?? ''
  expect(await statusOf(asAdmin)).toBe(401)
  expect(await signIn('admin@sluice.test', password)).toBe(200)
  await expect(commands.find('nobody@sluice.test')).rejects.toThrow(
    'There is no administrator "nobody@sluice.test"; "list" shows the existing ones',
  )
})

test('an administrator is created, listed, disabled and enabled again while the gateway runs', async () => {
  const { commands, signIn, statusOf, asAdmin, audit } = await beside()
  const second = 'second@sluice.test'
  await commands.create(second, { password: 'two-gates-one-lock', isGenerated: false })
  expect(await signIn(second, 'two-gates-one-lock')).toBe(200)
  const twice = commands.create(second.toUpperCase(), { password: 'x', isGenerated: false })
  await expect(twice).rejects.toMatchObject({ code: 'ADMIN_EXISTS' })

  expect(await commands.disable('admin@sluice.test')).toContain('1 session ended. 1 other can.')
  expect(await statusOf(asAdmin)).toBe(401)
  expect((await commands.list()).split('\n')).toEqual([
    expect.stringMatching(/^admin@sluice\.test {2}admin .* disabled since \d{4}-\d{2}-\d{2}$/),
    expect.stringMatching(/^second@sluice\.test {2}admin {2}no second factor .* active$/),
  ])
  expect(await commands.disable(second)).toContain('Nobody can sign in now.')
  expect(await signIn(second, 'two-gates-one-lock')).toBe(401)
  await commands.enable(second)
  expect(await signIn(second, 'two-gates-one-lock')).toBe(200)
  const trail = await audit.page({ limit: 100, action: 'admin' })
  expect(trail.map(({ action, subject }) => `${action} ${subject}`)).toEqual([
    `admin.enabled ${second}`,
    `admin.disabled ${second}`,
    'admin.disabled admin@sluice.test',
    `admin.created ${second}`,
    'admin.created admin@sluice.test',
  ])
  expect(trail[0]).toMatchObject({ actorKind: 'command-line', actor: userInfo().username })
})

// A password on the command line was written into a log of npm that others can read.
test('a password is piped in, one on the command line gets a warning, and a common one is rejected', async () => {
  const { run, signIn } = await beside()
  const create = (email: string, args: readonly string[], input = '') =>
    run(['create', '--email', email, ...args], input)
  const piped = await create('piped@sluice.test', ['--password-stdin'], 'two-gates-one-lock\n')
  expect(piped).toEqual({
    code: 0,
    output: 'piped@sluice.test can sign in now, with the role admin.\n',
  })
  expect(await signIn('piped@sluice.test', 'two-gates-one-lock')).toBe(200)
  const seen = await create('seen@sluice.test', ['--password', 'two-gates-one-lock'])
  expect(seen).toMatchObject({ code: 0, output: expect.stringContaining('--password-stdin') })
  expect(await create('none@sluice.test', ['--password-stdin'])).toMatchObject({ code: 1 })

  const weak = await create('weak@sluice.test', ['--password-stdin'], 'Passw0rd')
  expect(weak).toMatchObject({ code: 1, output: expect.stringContaining('at least 12 characters') })
  const reset = ['reset-password', '--email', 'seen@sluice.test', '--password-stdin']
  expect(await run(reset, 'password1234')).toMatchObject({
    ...{ code: 1, output: expect.stringContaining('one of the first that others would try') },
  })
  expect(await signIn('seen@sluice.test', 'two-gates-one-lock')).toBe(200)
})

test('a role is given at the start and changed later, and the sessions end with it', async () => {
  const { admin, run, commands, signIn, statusOf, asAdmin, audit } = await beside()
  const email = 'op@sluice.test'
  const args = ['create', '--email', email, '--role', 'operator', '--password-stdin']
  const created = await run(args, 'two-gates-one-lock')
  expect(created.output).toBe('op@sluice.test can sign in now, with the role operator.\n')
  expect(await signIn(email, 'two-gates-one-lock')).toBe(200)
  expect(await commands.list()).toContain('op@sluice.test  operator  no second factor')

  expect(await commands.setRole(email, 'viewer')).toBe(
    'op@sluice.test has the role viewer; 1 session ended.',
  )
  const last = await admin('set-role', '--email', 'admin@sluice.test', '--role', 'viewer')
  expect(last.output).toContain('1 session ended. Nobody with the role admin can sign in now.')
  expect(await statusOf(asAdmin)).toBe(401)
  const [newest, older] = await audit.page({ limit: 2, action: 'admin.role-changed' })
  expect(newest).toMatchObject({ actorKind: 'command-line', subject: 'admin@sluice.test' })
  expect([older?.before, older?.after]).toEqual(['{"role":"operator"}', '{"role":"viewer"}'])
  const misspelled = await admin('create', '--email', 'x@sluice.test', '--role', 'Admin')
  expect(misspelled).toMatchObject({ code: 2 })
})

test('lost second factors are removed with their recovery codes, and the sessions end', async () => {
  const { commands, db, statusOf, asAdmin, audit } = await beside()
  const email = 'admin@sluice.test'
  expect(await commands.removeSecondFactor(email)).toContain('has no second factor')
  expect(await statusOf(asAdmin)).toBe(200)
  db.exec(
    `insert into second_factors (admin_id, kind, name, created_at_ms, confirmed_at_ms) values (1, 'totp', 'phone', 1, 1)`,
  )
  db.exec(`insert into recovery_codes (admin_id, hash, created_at_ms) values (1, 'h', 1)`)
  expect(await commands.list()).toContain('admin@sluice.test  admin  totp')
  expect(await commands.removeSecondFactor(email)).toBe(
    'admin@sluice.test signs in with the password alone now; 1 session ended.',
  )
  expect(await statusOf(asAdmin)).toBe(401)
  const left =
    'select (select count(*) from second_factors) + (select count(*) from recovery_codes)'
  expect(db.prepare(left).pluck().get()).toBe(0)
  const [entry] = await audit.page({ limit: 1, action: 'admin' })
  expect(entry).toMatchObject({
    ...{ action: 'admin.second-factor-removed', before: '{"factors":["totp"]}' },
  })
})

test('a wrong call prints the usage, and creates no database', async () => {
  const folder = tempFolder()
  const { code, output } = await adminOf(`file:${join(folder, 'sluice.db')}`)('remove')
  expect(code).toBe(2)
  expect(output).toContain('npm run admin -- reset-password --email E')
  expect(readdirSync(folder)).toEqual([])
})
