import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { statOf } from './stat-of.ts'

const here = fileURLToPath(import.meta.url)

test('a file that exists has a status, a missing one is undefined', async () => {
  expect((await statOf(here))?.isFile()).toBe(true)
  expect(await statOf(`${here}.gone`)).toBeUndefined()
})

test('a file that cannot be read is not mistaken for a missing one', async () => {
  await expect(statOf(`${here}/below-a-file`)).rejects.toMatchObject({ code: 'ENOTDIR' })
})
