import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { writing } from './write.ts'

const failing = (code: string) => () =>
  writing(() => {
    throw new Database.SqliteError('disk I/O at /secret/path', code)
  })

test.each(['SQLITE_FULL', 'SQLITE_BUSY', 'SQLITE_READONLY_DBMOVED', 'SQLITE_IOERR_WRITE'])(
  'a write that fails by %s asks the caller to try again and keeps the cause for the log',
  (code) => {
    expect(failing(code)).toThrow(
      expect.objectContaining({
        code: 'STORE_UNWRITABLE',
        statusCode: 503,
        cause: expect.objectContaining({ code }),
      }),
    )
    expect(failing(code)).not.toThrow('/secret/path')
  },
)

test('a broken constraint is not blamed on the disk', () => {
  expect(failing('SQLITE_CONSTRAINT_UNIQUE')).toThrow(
    expect.objectContaining({ code: 'SQLITE_CONSTRAINT_UNIQUE' }),
  )
})
