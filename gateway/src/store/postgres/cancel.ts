import type pg from 'pg'

/** The types of `pg` lack the id of the server's process. */
type Connection = pg.PoolClient & { readonly processID?: number | null }

/**
 * Ends the statements of a connection at the server when a signal aborts. Where that is not
 * possible, their time limit ends them.
 * @returns call it when the connection is not used any more. It resolves with whether it was
 * cancelled: then it must not be used again, because a cancellation may arrive late.
 */
export function cancelWhenAborted(
  pool: pg.Pool,
  client: Connection,
  signal: AbortSignal | undefined,
): () => Promise<boolean> {
  let cancelled: Promise<unknown> | undefined
  const cancel = () => {
    cancelled = pool.query('select pg_cancel_backend($1)', [client.processID]).catch(() => {})
  }
  signal?.addEventListener('abort', cancel)
  return async () => {
    signal?.removeEventListener('abort', cancel)
    await cancelled
    return cancelled !== undefined
  }
}
