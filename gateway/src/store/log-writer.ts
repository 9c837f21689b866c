import { eq, sql } from 'drizzle-orm'
import type { Db } from './open.ts'
import { clients, facts, logMinutes, requestLogs } from './tables.ts'
import { isStoreFailure, writing } from './write.ts'

/** A request as it is logged, and kept. */
export type LogRow = typeof requestLogs.$inferSelect
export type NewLogRow = Omit<LogRow, 'id'>

/** Whether the last write to the database went well, and if not, why. */
export type Writable = { ok: true } | { ok: false; error: Error }

interface Pending {
  row: NewLogRow
  resolve: (id: number) => void
  reject: (error: unknown) => void
}

// Rows of one commit: 3 to 5 ms of a blocked event loop, when as many are due at all.
const ROWS_AT_ONCE = 250
// A probe waits for the disk, and whoever asks whether the gateway is ready causes one: more often it proves no more.
const PROBE_EVERY_MS = 1_000

/**
 * Writes log rows in groups: those that become due in one turn of the event loop share a commit,
 * for the sync to disk is what costs.
 */
export function createLogWriter(db: Db) {
  const insertRow = prepareRow(db)
  const countRow = prepareMinute(db)
  const pending: Pending[] = []
  let isScheduled = false
  let lastCommit: Promise<void> = Promise.resolve()
  let state: Writable = { ok: true }
  let probedMs = Number.NEGATIVE_INFINITY
  db.damage.onFound((error) => {
    state = { ok: false, error }
  })

  return {
    /**
     * Keeps a row. Resolves with its id once it is committed: what is answered after that is in the
     * log, also after `kill -9`. A client that was deleted meanwhile is kept by its name alone.
     *
     * @throws StoreUnwritableError
     */
    append(row: NewLogRow): Promise<number> {
      const { promise, resolve, reject } = Promise.withResolvers<number>()
      pending.push({ row, resolve, reject })
      schedule()
      return promise
    },

    /** Resolves when what is pending is committed. A failure reaches those who appended. */
    async flush(): Promise<void> {
      do await commitNext()
      while (pending.length > 0)
    },

    /** How the last write went; a later one that goes well heals it. */
    writable(): Writable {
      return state
    },

    /** @throws StoreUnwritableError when the last write failed, and one more does too */
    async requireWritable(nowMs: number): Promise<void> {
      const writable = state.ok ? state : await probe(nowMs)
      if (!writable.ok) throw writable.error
    },

    /**
     * Writes a mark, to learn whether the database can be written while nobody sends anything; while all goes well once
     * a second at most, however often it is asked.
     */
    async probe(nowMs: number): Promise<Writable> {
      return probe(nowMs)
    },
  }

  async function probe(nowMs: number): Promise<Writable> {
    if (state.ok && performance.now() - probedMs < PROBE_EVERY_MS) return state
    probedMs = performance.now()
    const value = `${nowMs}`
    await attempt(() =>
      db
        .insert(facts)
        .values({ name: 'write_probe', value })
        .onConflictDoUpdate({ target: facts.name, set: { value } })
        .run(),
    )
    return state
  }

  function schedule(): void {
    if (isScheduled) return
    isScheduled = true
    setImmediate(async () => {
      await commitNext()
      isScheduled = false
      if (pending.length > 0) schedule()
    })
  }

  /** One group after another: what becomes due while one waits for the database goes with the next. */
  function commitNext(): Promise<void> {
    lastCommit = lastCommit.then(() => commit(pending.splice(0, ROWS_AT_ONCE)))
    return lastCommit
  }

  /** Never rejects: those who appended are told. */
  async function commit(group: Pending[]): Promise<void> {
    if (group.length === 0) return
    const result = await attempt(() =>
      db.transaction(() => group.map(({ row }) => write(row)), { behavior: 'immediate' }),
    )
    if ('value' in result) {
      for (const [i, { resolve }] of group.entries()) resolve(result.value[i] ?? 0)
    } else if (group.length === 1 || isStoreFailure(result.error)) {
      for (const { reject } of group) reject(result.error)
    } else {
      // One row that the tables refuse does not take its neighbours along.
      for (const one of group) await commit([one])
    }
  }

  function write(row: NewLogRow): number {
    const { lastInsertRowid } = insertRow.run({ ...row })
    const { atMs, statusCode, responseMs, clientRef } = row
    countRow.run({
      minute: Math.floor(atMs / 60_000),
      clientRef,
      success: Number(statusCode >= 200 && statusCode < 300),
      failed: Number(statusCode >= 400),
      responseMs,
    })
    return Number(lastInsertRowid)
  }

  async function attempt<T>(work: () => T): Promise<{ value: T } | { error: unknown }> {
    try {
      const value = await writing(db, work)
      state = { ok: true }
      return { value }
    } catch (error) {
      if (isStoreFailure(error)) state = { ok: false, error }
      return { error }
    }
  }
}

// The client's row id, or null when the client is gone: a request may end after its client was
// deleted.
const isLogged = eq(clients.id, sql.placeholder('clientRef'))
const presentClient = sql`(select ${clients.id} from ${clients} where ${isLogged})`

function prepareRow(db: Db) {
  return db
    .insert(requestLogs)
    .values({
      atMs: sql.placeholder('atMs'),
      method: sql.placeholder('method'),
      endpoint: sql.placeholder('endpoint'),
      statusCode: sql.placeholder('statusCode'),
      responseMs: sql.placeholder('responseMs'),
      queueMs: sql.placeholder('queueMs'),
      upstreamMs: sql.placeholder('upstreamMs'),
      clientRef: presentClient,
      clientId: sql.placeholder('clientId'),
      requestId: sql.placeholder('requestId'),
      exchange: sql.placeholder('exchange'),
      code: sql.placeholder('code'),
      shared: sql.placeholder('shared'),
      note: sql.placeholder('note'),
    })
    .prepare()
}

function prepareMinute(db: Db) {
  return db
    .insert(logMinutes)
    .values({
      minute: sql.placeholder('minute'),
      clientKey: sql`coalesce(${presentClient}, 0)`,
      clientRef: presentClient,
      total: 1,
      success: sql.placeholder('success'),
      failed: sql.placeholder('failed'),
      responseMsSum: sql.placeholder('responseMs'),
    })
    .onConflictDoUpdate({
      target: [logMinutes.minute, logMinutes.clientKey],
      set: {
        total: sql`${logMinutes.total} + 1`,
        success: sql`${logMinutes.success} + excluded.success`,
        failed: sql`${logMinutes.failed} + excluded.failed`,
        responseMsSum: sql`${logMinutes.responseMsSum} + excluded.response_ms_sum`,
      },
    })
    .prepare()
}
