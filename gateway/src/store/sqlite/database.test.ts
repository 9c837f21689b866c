import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { writing } from './database.ts'
import { toDb } from './open.ts'

const failing = (code: string) =>
  writing(toDb(new Database(':memory:'), 0), () => {
    throw new Database.SqliteError('disk I/O at /secret/path', code)
  })

test.each(['SQLITE_FULL', 'SQLITE_BUSY', 'SQLITE_READONLY_DBMOVED', 'SQLITE_IOERR_WRITE'])(
  'a write that fails by %s asks the caller to try again and keeps the cause for the log',
  async (code) => {
    const error = await failing(code).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      code: 'STORE_UNWRITABLE',
      statusCode: 503,
      cause: expect.objectContaining({ code }),
    })
    expect(String(error)).not.toContain('/secret/path')
  },
)

test('a broken constraint is not blamed on the disk', async () => {
  await expect(failing('SQLITE_CONSTRAINT_UNIQUE')).rejects.toEqual(
    expect.objectContaining({ code: 'SQLITE_CONSTRAINT_UNIQUE' }),
  )
})
