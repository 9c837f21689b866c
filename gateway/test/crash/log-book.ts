import Database from 'better-sqlite3'

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
