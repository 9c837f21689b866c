import { readdirSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { createAuditStore } from 'gateway/store/audit-store.ts'
import { createDatabase } from 'gateway/store/sqlite/database.ts'
import { openStore } from 'gateway/store/sqlite/open.ts'
import { listClients, login } from 'schema'
import { expect, onTestFinished, test } from 'vitest'
import { testApp } from '../../gateway/test/app.ts'
import { tempFolder } from '../../gateway/test/support/temp-folder.ts'
import { runCommand } from './support/run-command.ts'

const GOOD = 'two-gates-one-lock'

/** The command beside a database. */
const adminOf =
  (DATABASE_URL: string) =>
  (args: string, input = '') =>
    runCommand('admin', { DATABASE_URL }, args.split(' '), input)

const done = (output: string) => ({ code: 0, output: expect.stringContaining(output) })
const refused = (output: string) => ({ code: 1, output: expect.stringContaining(output) })

/** A gateway that runs over a database file, and the command beside it. */
async function beside() {
  const DATABASE_URL = `file:${join(tempFolder(), 'sluice.db')}`
  const { app, asAdmin } = await testApp({ env: { DATABASE_URL } })
  const signIn = async (email: string, password = GOOD) =>
    (await app.inject({ method: 'POST', url: login.path, payload: { email, password } })).statusCode
  const statusOf = async (headers: Record<string, string>) =>
    (await app.inject({ url: listClients.path, headers })).statusCode
  const store = openStore(DATABASE_URL)
  onTestFinished(() => store.close())
  const audit = createAuditStore(createDatabase(store.db))
  return { admin: adminOf(DATABASE_URL), signIn, statusOf, asAdmin, audit, db: store.db.$client }
}

test('an administrator who lost the password gets a new one while the gateway runs, and all sessions end', async () => {
  const { admin, signIn, statusOf, asAdmin } = await beside()
  expect(await statusOf(asAdmin)).toBe(200)
  const reset = await admin('reset-password --email ADMIN@sluice.test')
  expect(reset).toEqual(done('1 session ended'))
  const password = /shown only once: (\S+)/.exec(reset.output)?.[1] ?? ''
  expect(await statusOf(asAdmin)).toBe(401)
  expect(await signIn('admin@sluice.test', password)).toBe(200)
  expect(await admin('disable --email nobody@sluice.test')).toEqual(
    refused('There is no administrator "nobody@sluice.test"; "list" shows the existing ones\n'),
  )
})

test('an administrator is created, listed, disabled and enabled again while the gateway runs', async () => {
  const { admin, signIn, statusOf, asAdmin, audit } = await beside()
  const second = 'second@sluice.test'
  expect(await admin(`create --email ${second} --password-stdin`, `${GOOD}\n`)).toEqual({
    ...{ code: 0, output: 'second@sluice.test can sign in now, with the role admin.\n' },
  })
  expect(await signIn(second)).toBe(200)
  expect(await admin(`create --email ${second.toUpperCase()}`)).toEqual(refused('already'))

  const disabled = await admin('disable --email admin@sluice.test')
  expect(disabled).toEqual(done('1 session ended. 1 other can.'))
  expect(await statusOf(asAdmin)).toBe(401)
  expect((await admin('list')).output.trim().split('\n')).toEqual([
    expect.stringMatching(/^admin@sluice\.test {2}admin .* disabled since \d{4}-\d{2}-\d{2}$/),
    expect.stringMatching(/^second@sluice\.test {2}admin {2}no second factor .* active$/),
  ])
  expect(await admin(`disable --email ${second}`)).toEqual(done('Nobody can sign in now.'))
  expect(await signIn(second)).toBe(401)
  expect(await admin(`enable --email ${second}`)).toMatchObject({ code: 0 })
  expect(await signIn(second)).toBe(200)
  const trail = await audit.page({ limit: 100, action: 'admin' })
  expect(trail.map(({ action, subject }) => `${action} ${subject}`)).toEqual([
    ...[`admin.enabled ${second}`, `admin.disabled ${second}`],
    ...['admin.disabled admin@sluice.test', `admin.created ${second}`],
    'admin.created admin@sluice.test',
  ])
  expect(trail[0]).toMatchObject({ actorKind: 'command-line', actor: userInfo().username })
})

// A password on the command line was written into a log of npm that others can read.
test('a password on the command line gets a warning, and a missing or common one is rejected', async () => {
  const { admin, signIn } = await beside()
  const seen = await admin(`create --email seen@sluice.test --password ${GOOD}`)
  expect(seen).toEqual(done('--password-stdin'))
  expect(await admin('create --email none@sluice.test --password-stdin')).toMatchObject({ code: 1 })
  expect(await admin('create --email weak@sluice.test --password-stdin', 'Passw0rd')).toEqual(
    refused('at least 12 characters'),
  )
  expect(
    await admin('reset-password --email seen@sluice.test --password-stdin', 'password1234'),
  ).toEqual(refused('one of the first that others would try'))
  expect(await signIn('seen@sluice.test')).toBe(200)
})

test('a role is given at the start and changed later, and the sessions end with it', async () => {
  const { admin, signIn, statusOf, asAdmin, audit } = await beside()
  const email = 'op@sluice.test'
  expect(await admin(`create --email ${email} --role operator --password-stdin`, GOOD)).toEqual(
    done('op@sluice.test can sign in now, with the role operator.\n'),
  )
  expect(await signIn(email)).toBe(200)
  expect(await admin('list')).toEqual(done('op@sluice.test  operator  no second factor'))
  expect(await admin(`set-role --email ${email} --role viewer`)).toEqual(
    done('op@sluice.test has the role viewer; 1 session ended.\n'),
  )
  expect(await admin('set-role --email admin@sluice.test --role viewer')).toEqual(
    done('1 session ended. Nobody with the role admin can sign in now.'),
  )
  expect(await statusOf(asAdmin)).toBe(401)
  const [newest, older] = await audit.page({ limit: 2, action: 'admin.role-changed' })
  expect(newest).toMatchObject({ actorKind: 'command-line', subject: 'admin@sluice.test' })
  expect([older?.before, older?.after]).toEqual(['{"role":"operator"}', '{"role":"viewer"}'])
  expect(await admin('create --email x@sluice.test --role Admin')).toMatchObject({ code: 2 })
})

test('lost second factors are removed with their recovery codes, and the sessions end', async () => {
  const { admin, db, statusOf, asAdmin, audit } = await beside()
  const remove = 'remove-second-factor --email admin@sluice.test'
  expect(await admin(remove)).toEqual(done('has no second factor'))
  expect(await statusOf(asAdmin)).toBe(200)
  db.exec(
    `insert into second_factors (admin_id, kind, name, created_at_ms, confirmed_at_ms) values (1, 'totp', 'phone', 1, 1)`,
  )
  db.exec(`insert into recovery_codes (admin_id, hash, created_at_ms) values (1, 'h', 1)`)
  expect(await admin('list')).toEqual(done('admin@sluice.test  admin  totp'))
  expect(await admin(remove)).toEqual(
    done('admin@sluice.test signs in with the password alone now; 1 session ended.\n'),
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

test('a wrong call creates no database', async () => {
  const folder = tempFolder()
  expect(await adminOf(`file:${join(folder, 'sluice.db')}`)('remove')).toMatchObject({ code: 2 })
  expect(readdirSync(folder)).toEqual([])
})
