import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { listClients, login } from 'schema'
import { expect, test, vi } from 'vitest'
import { testApp } from '../../gateway/test/app.ts'
import { tempFolder } from '../../gateway/test/support/temp-folder.ts'

// Several processes start in each test, on machines that do other things as well.
vi.setConfig({ testTimeout: 120_000 })

const ENTRY = fileURLToPath(new URL('../src/admin.ts', import.meta.url))

interface Ended {
  readonly code: number
  readonly output: string
}

/** Runs the command without a terminal. */
function adminOf(DATABASE_URL: string) {
  return (...args: string[]): Promise<Ended> =>
    new Promise((resolve) => {
      const child = execFile(
        process.execPath,
        [ENTRY, ...args],
        { env: { PATH: process.env.PATH, DATABASE_URL } },
        (error, stdout, stderr) =>
          resolve({ code: Number(error?.code ?? 0), output: `${stdout}${stderr}` }),
      )
      child.stdin?.end()
    })
}

/** A gateway that runs over a database file, and the command beside it. */
async function beside() {
  const DATABASE_URL = `file:${join(tempFolder(), 'sluice.db')}`
  const { app, asAdmin } = await testApp({ env: { DATABASE_URL } })
  const signIn = async (email: string, password: string) =>
    (await app.inject({ method: 'POST', url: login.path, payload: { email, password } })).statusCode
  const statusOf = async (headers: Record<string, string>) =>
    (await app.inject({ url: listClients.path, headers })).statusCode
  return { admin: adminOf(DATABASE_URL), signIn, statusOf, asAdmin }
}

test('whoever lost the password gets a new one while the gateway runs, and all sessions end', async () => {
  const { admin, signIn, statusOf, asAdmin } = await beside()
  expect(await statusOf(asAdmin)).toBe(200)
  const reset = await admin('reset-password', '--email', 'ADMIN@sluice.test')
  expect(reset).toMatchObject({ code: 0, output: expect.stringContaining('1 session ended') })
  const password = /shown this once: (\S+)/.exec(reset.output)?.[1] ?? ''
  expect(await statusOf(asAdmin)).toBe(401)
  expect(await signIn('admin@sluice.test', password)).toBe(200)
  expect(await admin('reset-password', '--email', 'nobody@sluice.test')).toEqual({
    code: 1,
    output: 'There is no administrator "nobody@sluice.test"; "list" shows those there are\n',
  })
})

test('an administrator is made, listed, disabled and enabled again', async () => {
  const { admin, signIn, statusOf, asAdmin } = await beside()
  const second = ['--email', 'second@sluice.test']
  await admin('create', ...second, '--password', 'two-gates-one-lock')
  expect(await signIn('second@sluice.test', 'two-gates-one-lock')).toBe(200)

  const disabled = await admin('disable', '--email', 'admin@sluice.test')
  expect(disabled.output).toContain('1 session ended. 1 other can.')
  expect(await statusOf(asAdmin)).toBe(401)
  const { output } = await admin('list')
  expect(output).toMatch(/admin@sluice\.test .* disabled since \d{4}-\d{2}-\d{2}\n/)
  expect(output).toMatch(/second@sluice\.test .* active\n/)
  expect((await admin('disable', ...second)).output).toContain('Nobody can sign in now.')
  await admin('enable', ...second)
  expect(await signIn('second@sluice.test', 'two-gates-one-lock')).toBe(200)
})

test('a wrong call shows how it is done, and makes no database', async () => {
  const folder = tempFolder()
  const admin = adminOf(`file:${join(folder, 'sluice.db')}`)
  for (const args of [[], ['remove', '--email', 'a@sluice.test'], ['create', '--nonsense']]) {
    const { code, output } = await admin(...args)
    expect(code).toBe(2)
    expect(output).toContain('npm run admin -- reset-password --email E')
  }
  expect(readdirSync(folder)).toEqual([])
})
