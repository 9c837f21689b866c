import pg from 'pg'
import type { JournalEntry } from '../crash/journal-book.ts'

/** Reads the journal from PostgreSQL. */
export async function readJournal(url: string): Promise<JournalEntry[]> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    const { rows } = await client.query<JournalEntry>(
      `select id, client_id as "clientId", exchange, endpoint, state, trace as "orderKey", idempotency_key as "idempotencyKey",
         sent_at_ms::float8 as "sentAtMs", client_order_id as "clientOrderId", status_code as "statusCode", body,
         value_micros::float8 as "valueMicros"
       from order_journal order by created_at_ms`,
    )
    return rows
  } finally {
    await client.end()
  }
}
