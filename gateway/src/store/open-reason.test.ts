import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { freePort } from '../../test/support/free-port.ts'
import { StoreUnwritableError } from './errors.ts'
import { storeFailureText, unwritableText } from './open-reason.ts'
import { connectPostgres } from './postgres/open.ts'
import { readDatabaseUrl } from './postgres/url.ts'

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

test('readiness names a PostgreSQL that refuses connections, also where it only reads', async () => {
  const url = readDatabaseUrl(`postgres://sluice@127.0.0.1:${await freePort()}/sluice`)
  const store = connectPostgres(url)
  const error = await store.pendingMigrations().catch((cause: unknown) => cause)
  expect(storeFailureText(error)).toBe(
    'the store cannot be written: PostgreSQL cannot be reached (ECONNREFUSED)',
  )
  await store.close()
})
