import { mxSubmitOrder } from 'schema'
import { describe, expect, test } from 'vitest'
import { testApp } from './app.ts'
import { databaseProxy } from './support/database-proxy.ts'
import { createDatabase, hasPostgres } from './support/postgres.ts'

const ORDER = { symbol: 'BTC_USDT', side: 'BUY', type: 'LIMIT', quantity: '0.01', price: '50000' }

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
      const { app, client, paper } = await testApp({ env: { DATABASE_URL: proxy.url } })
      const { headers } = await client()
      const place = (key: Record<string, string> = {}) =>
        app.inject({
          ...{ method: 'POST', url: mxSubmitOrder.path, payload: ORDER },
          headers: { ...headers, ...key },
        })
      const keyed = { 'idempotency-key': 'key' }
      for (const key of [keyed, {}]) {
        proxy.cut(statement, when)
        const before = paper.orders('mx').length
        const refused = await place(key)
        expect(refused.json()).toMatchObject({ code: 'STORE_UNWRITABLE', outcome: 'not-sent' })
        const url = `/api/requests/${refused.headers['x-request-id']}`
        await proxy.lateIsDone()
        const retried = await place(key)
        expect([retried.statusCode, retried.headers['idempotency-replayed']]).toEqual([
          200,
          undefined,
        ])
        expect((await app.inject({ url, headers })).json()).toMatchObject({
          ...{
            state: 'dropped',
            answer: { body: { code: 'STORE_UNWRITABLE', outcome: 'not-sent' } },
          },
        })
        expect(paper.orders('mx')).toHaveLength(before + 1)
      }
    },
  )
})
