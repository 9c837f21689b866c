import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { StoreUnwritableError } from './errors.ts'
import { unwritableText } from './open-reason.ts'

test.each([
  ['SQLITE_FULL', 'the disk is full; make room'],
  ['SQLITE_IOERR_WRITE', 'the disk is full or fails; make room'],
  ['SQLITE_READONLY', 'it is read-only'],
])(
  'the message at a start says why the process cannot write, and mentions no request: %s',
  (code, reason) => {
    const cause = new Database.SqliteError('', code)
    const text = unwritableText(new StoreUnwritableError({ cause }))
    expect(text).toContain(`The database cannot be written: ${reason}`)
    expect(text).not.toContain('request')
  },
)

test('another error keeps its own words', () => {
  expect(unwritableText(new Error('another'))).toBeUndefined()
})
