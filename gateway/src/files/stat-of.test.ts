import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { statOf } from './stat-of.ts'

const here = fileURLToPath(import.meta.url)

test('a file that exists has a status, a missing one is undefined', async () => {
  expect((await statOf(here))?.isFile()).toBe(true)
  expect(await statOf(`${here}.gone`)).toBeUndefined()
})

test('a file that cannot be looked at is not taken for one that is not there', async () => {
  await expect(statOf(`${here}/below-a-file`)).rejects.toMatchObject({ code: 'ENOTDIR' })
})
