import { expect, test } from 'vitest'
import { StoreUnwritableError } from './errors.ts'
import { Writability } from './writability.ts'

// A database that does not respond: gateway/test/stalled-database.test.ts.

// A look had just met the error, and for 0.6 s the gateway said that it was ready.
test('readiness gets an error that is no failure of the database, also right after a look', async () => {
  let error: Error | undefined = new Error('a mistake of ours')
  const writability = new Writability(async () => {
    if (error !== undefined) throw error
  })
  for (let times = 0; times < 2; times += 1) {
    writability.look(0)
    await expect(writability.probe(0)).rejects.toBe(error)
  }
  error = new StoreUnwritableError()
  writability.look(0)
  expect(await writability.probe(0)).toEqual({ ok: false, error })
  error = undefined
  expect(await writability.probe(0)).toEqual({ ok: true })
})
