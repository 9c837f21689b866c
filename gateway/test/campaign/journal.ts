import Database from 'better-sqlite3'
import pg from 'pg'

/** What the journal file says of one request that traded. */
export interface JournalEntry {
  readonly id: string
  readonly clientId: string
  readonly exchange: string
  readonly endpoint: string
  readonly state: string
  /** The exchange's time; null when it was not sent. */
  readonly sentAtMs: number | null
  readonly orderKey: string | null
  readonly idempotencyKey: string | null
  readonly clientOrderId: string | null
  readonly statusCode: number | null
  readonly body: string | null
  /** Millionths of a USDT. */
  readonly valueMicros: number | null
}

/** Reads a database that no gateway holds, or one that is in use, without changing it. */
export function readJournal(path: string): JournalEntry[] {
  const db = new Database(path, { readonly: true })
  try {
    return db
      .prepare<[], JournalEntry>(
        `select id, client_id as clientId, exchange, endpoint, state, trace as orderKey, sent_at_ms as sentAtMs,
           idempotency_key as idempotencyKey, client_order_id as clientOrderId, status_code as statusCode, body, value_micros as valueMicros
         from order_journal order by created_at_ms`,
      )
      .all()
  } finally {
    db.close()
  }
}

export const finalStates: ReadonlySet<string> = new Set([
  ...['answered', 'refused', 'dropped', 'resolved'],
])

export interface LogEntry {
  readonly requestId: string
  readonly endpoint: string
  readonly statusCode: number
}

/** Reads the request log from the file, oldest first. */
export function readLog(path: string): LogEntry[] {
  const db = new Database(path, { readonly: true })
  try {
    return db
      .prepare<[], LogEntry>(
        'select request_id as requestId, endpoint, status_code as statusCode from request_logs order by id',
      )
      .all()
  } finally {
    db.close()
  }
}

/** Reads the journal from PostgreSQL. */
export async function readPostgresJournal(url: string): Promise<JournalEntry[]> {
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
