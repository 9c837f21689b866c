import { getRequest } from 'schema'
import { describe, expect, test } from 'vitest'
import { testApp } from './app.ts'
import { databaseProxy } from './support/database-proxy.ts'
import { place } from './support/place.ts'
import { createDatabase, hasPostgres } from './support/postgres.ts'

describe.skipIf(!hasPostgres)('an order whose commit was made, and its answer was lost', () => {
  test.each([
    ['its entry into the journal', 'journal_insert', 'after'],
    ['its entry into the journal, which comes late', 'journal_insert', 'late'],
    ['its mark as sent', 'journal_mark_sent_by_owner', 'after'],
    ['its mark as sent, which comes late', 'journal_mark_sent_by_owner', 'late'],
  ] as const)(
    '%s: it is not sent, as its response says, and a retry places it once',
    async (_, statement, when) => {
      const proxy = await databaseProxy(await createDatabase())
      const t = await testApp({ env: { DATABASE_URL: proxy.url } })
      const bot = await t.client()
      for (const key of ['key', undefined]) {
        proxy.cut(statement, when)
        const before = t.paper.orders('mx').length
        const refused = await place(t, bot, key)
        const body = { code: 'STORE_UNWRITABLE', outcome: 'not-sent' }
        expect(refused.json()).toMatchObject(body)
        await proxy.lateIsDone()
        const retried = await place(t, bot, key)
        expect([retried.statusCode, retried.headers['idempotency-replayed']]).toEqual([
          ...[200, undefined],
        ])
        const params = { id: `${refused.headers['x-request-id']}` }
        expect((await t.call(getRequest, { params }, bot)).body).toMatchObject({
          ...{ state: 'dropped', answer: { body } },
        })
        expect(t.paper.orders('mx')).toHaveLength(before + 1)
      }
    },
  )
})
