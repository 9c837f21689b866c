import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { testApp } from '../../gateway/test/app.ts'
import { tempFolder } from '../../gateway/test/support/temp-folder.ts'
import { runCommand } from './support/run-command.ts'

test('an operator backs up, restores elsewhere, rotates the key and runs the doctor', async () => {
  const folder = join(tempFolder(), 'data')
  const DATABASE_URL = `file:${join(folder, 'sluice.db')}`
  const t = await testApp({ env: { DATABASE_URL, MASTER_KEY: '' } })
  await t.client()
  const upstream = {
    ...{ MEXC_SPOT_URL: t.paper.url, MEXC_FUTURES_URL: t.paper.url, BITGET_URL: t.paper.url },
  }
  const file = join(tempFolder(), 'backup.db')
  const key = () => readFileSync(join(folder, 'master.key'), 'utf8').trim()
  const secret = key()

  const backup = await runCommand('backup', { DATABASE_URL }, [file])
  expect(backup).toMatchObject({ code: 0, output: expect.stringContaining('read back and intact') })
  expect(backup.output).toContain('1 client, 2 exchange keys, 1 administrator')
  expect(existsSync(file)).toBe(true)

  const rotated = await runCommand('rotate-key', { DATABASE_URL }, [])
  expect(rotated.code).toBe(0)
  expect(rotated.output).toContain('Sealed again: 2 of 2\nVerified: ')
  const early = await runCommand('rotate-key', { DATABASE_URL }, ['--finish'])
  expect(early).toMatchObject({ code: 1, output: expect.stringContaining('--end-tokens') })
  await t.app.close()

  const elsewhere = join(tempFolder(), 'data')
  mkdirSync(elsewhere, { mode: 0o700 })
  copyFileSync(join(folder, 'master.key'), join(elsewhere, 'master.key'))
  const env = { DATABASE_URL: `file:${join(elsewhere, 'sluice.db')}`, ...upstream }
  const restored = await runCommand('restore', env, [file])
  expect(restored).toMatchObject({ code: 0, output: expect.stringContaining('Restored') })
  const again = await runCommand('restore', env, [file])
  expect(again).toMatchObject({ code: 1, output: expect.stringContaining('--replace') })

  // The backup is of the time before the rotation, and both keys are in the file.
  t.paper.clearReceived()
  const doctor = await runCommand('doctor', env, ['--no-exchanges'])
  expect(doctor.code).toBe(0)
  expect(t.paper.received()).toEqual([])
  expect(doctor.output).toContain('→ npm run rotate-key\n')
  expect(doctor.output).toContain('ok    stored secrets: all 2 can be opened')
  for (const { output } of [backup, rotated, early, restored, doctor])
    for (const one of [secret, ...key().split('\n')]) expect(output).not.toContain(one)
})
