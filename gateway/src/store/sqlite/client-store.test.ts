import { afterEach, beforeEach, expect, test } from 'vitest'
import { createClientStore } from './client-store.ts'
import { openStore, type Store } from './open.ts'

let store: Store
beforeEach(() => {
  store = openStore(':memory:')
})
afterEach(() => store.close())

const bot = {
  clientId: 'grid-bot',
  description: null,
  secretHash: 'hash',
  secretPreview: 'sls_abcd...wxyz',
  createdAtMs: 1_000,
}

/** Gives a client two keys, a token, and as many log rows, minutes and orders as asked. */
function fill(clientRef: number, rows: number) {
  const { $client } = store.db
  const sequence = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${rows})`
  $client.exec(`
    insert into api_keys (client_ref, exchange, api_key_sealed, api_secret_sealed, key_id, created_at_ms)
      values (${clientRef}, 'mx', 'a', 'b', 'k', 0), (${clientRef}, 'bg', 'a', 'b', 'k', 0);
    insert into client_tokens values ('token of ${clientRef}', ${clientRef}, 0, 1, null);
    ${sequence} insert into request_logs
      (at_ms, method, endpoint, status_code, response_ms, queue_ms, client_ref, client_id, request_id)
      select i, 'GET', '/x', 200, 1, 0, ${clientRef}, 'x', 'r' from n;
    ${sequence} insert into order_journal
      (id, client_ref, client_id, exchange, method, endpoint, fingerprint, state, created_at_ms)
      select '${clientRef}-' || i, ${clientRef}, 'x', 'mx', 'POST', '/x', 'f', 'answered', i from n;
    ${sequence} insert into log_minutes (minute, client_key, client_ref, total, success, failed, response_ms_sum)
      select i, ${clientRef}, ${clientRef}, 1, 1, 0, 1 from n;
  `)
}

function rowsOf(clientRef: number): number[] {
  return ['api_keys', 'client_tokens', 'request_logs', 'log_minutes', 'order_journal'].map(
    (table) =>
      Number(
        store.db.$client
          .prepare(`select count(*) from ${table} where client_ref = ?`)
          .pluck()
          .get(clientRef),
      ),
  )
}

test('a client is off from the first step of its deletion, and the event loop keeps turning', async () => {
  const clients = createClientStore(store.db)
  const { id } = await clients.insert(bot)
  fill(id, 1_000)
  const removal = clients.remove(id)
  await store.db.commits.idle()
  expect(await clients.find(id)).toMatchObject({ active: false })
  let turns = 0
  let isDone = false
  const count = () => {
    turns++
    if (!isDone) setImmediate(count)
  }
  setImmediate(count)
  await removal
  isDone = true
  expect(turns).toBeGreaterThanOrEqual(8)
})

// Its orders went with the row of the client, in one statement: 1.1 s for 100,000 of them, in which
// nothing else went on.
test('the orders of a deleted client go in bounded steps as well', async () => {
  const clients = createClientStore(store.db)
  const { id } = await clients.insert(bot)
  fill(id, 1_000)
  const left: (number | undefined)[] = []
  const removal = clients.remove(id)
  const look = () => {
    const orders = rowsOf(id).at(-1)
    if (orders !== left.at(-1)) left.push(orders)
    if (orders !== 0) setImmediate(look)
  }
  look()
  await removal
  expect(left).toEqual([1_000, 750, 500, 250, 0])
})
