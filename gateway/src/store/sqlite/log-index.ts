import { setTimeout as pause } from 'node:timers/promises'
import { writingUnsynced } from './database.ts'
import { INDEXED_PART, type IndexedPart, newestRowId, readIndexedPart } from './log-walk.ts'
import type { Db } from './open.ts'

/** An hour more than the console looks back on, so that keys are removed at leisure. */
const COVERED_MS = 25 * 3_600_000
const HOUR_MS = 3_600_000
/** Keys are removed when they are older than this, not at every run. */
const KEPT_MS = COVERED_MS + HOUR_MS
// Rows that one commit indexes, and keys that it removes: 1 to 2 ms.
const ROWS_AT_ONCE = 100
/**
 * Between two commits. The first run, on a day's log, works for half a minute beside the orders.
 */
const PAUSE_MS = 5
// Kinds whose oldest key one statement reads: about 1 ms.
const KINDS_AT_ONCE = 500

const SAME_KIND = `k.endpoint = r.endpoint and k.client_id = coalesce(r.client_id, '')
  and k.status_code = r.status_code and k.method = r.method and k.code = coalesce(r.code, '')`

/**
 * Keeps the index of the last day's log rows, which lets any filter find its rows without examining
 * the others. A kind is what filters look at: endpoint, client, status, method and error code.
 * There are few kinds and many rows; a key says that a row is of a kind. The rows are indexed a
 * little later than they are committed, so that a request does not pay for it.
 */
export function createLogIndex(db: Db, pauseMs = PAUSE_MS) {
  const sqlite = db.$client
  const { lastOfStep, addKinds, addKeys, writeState } = prepareStatements(sqlite)
  const save = (part: IndexedPart) => writeState.run(JSON.stringify(part))

  return {
    /**
     * How many of the newest rows are not indexed yet: filters examine them one by one. Before the
     * first run it is the whole log.
     */
    unindexedRows: () => newestRowId(sqlite) - (readIndexedPart(sqlite)?.toId ?? 0),

    /**
     * Indexes the rows that were committed since the last run, and removes what is older than the
     * console's window, in steps that leave the event loop free.
     * @throws StoreUnwritableError, or the signal's reason; what was done stays done
     */
    async update(nowMs: number, signal?: AbortSignal): Promise<void> {
      const fromMs = nowMs - COVERED_MS
      let part = readIndexedPart(sqlite) ?? (await firstPart(sqlite, fromMs, signal))
      for (;;) {
        const to = lastOfStep.get(part.toId)
        if (to === null || to === undefined) break
        part = await addRows(part, to)
        await pause(pauseMs, undefined, { signal })
      }
      if (part.fromMs >= nowMs - KEPT_MS) return
      await writingUnsynced(db, () => save({ ...part, fromMs }))
      await removeKeysBefore(db, fromMs, { pauseMs, signal })
    },
  }

  function addRows(part: IndexedPart, to: number): Promise<IndexedPart> {
    const next = { ...part, toId: to }
    const params = { after: part.toId, to, fromMs: part.fromMs }
    const add = sqlite.transaction(() => {
      addKinds.run(params)
      addKeys.run(params)
      save(next)
    })
    return writingUnsynced(db, () => {
      add.immediate()
      return next
    })
  }
}

function prepareStatements(sqlite: Db['$client']) {
  return {
    lastOfStep: sqlite
      .prepare<[number], number | null>(
        `select max(id) from (select id from request_logs where id > ? order by id limit ${ROWS_AT_ONCE})`,
      )
      .pluck(),
    addKinds: sqlite.prepare(
      `insert or ignore into log_kinds (endpoint, client_id, status_code, method, code)
       select distinct endpoint, coalesce(client_id, ''), status_code, method, coalesce(code, '') from request_logs
       where id > @after and id <= @to and at_ms >= @fromMs`,
    ),
    addKeys: sqlite.prepare(
      `insert or ignore into log_keys (kind, at_ms, id)
       select k.id, r.at_ms, r.id from request_logs r cross join log_kinds k on ${SAME_KIND}
       where r.id > @after and r.id <= @to and r.at_ms >= @fromMs order by k.id, r.at_ms`,
    ),
    writeState: sqlite.prepare(
      `insert into settings (name, value) values ('${INDEXED_PART}', ?)
       on conflict (name) do update set value = excluded.value`,
    ),
  }
}

/** Nothing is indexed yet: begins before the first row of the time. */
async function firstPart(
  sqlite: Db['$client'],
  fromMs: number,
  signal: AbortSignal | undefined,
): Promise<IndexedPart> {
  const newest = sqlite
    .prepare<[], { atMs: number | null; id: number | null }>(
      'select (select max(at_ms) from request_logs) as atMs, max(id) as id from request_logs',
    )
    .get()
  const firstOfHour = sqlite
    .prepare<[number, number], number | null>(
      'select min(id) from request_logs where at_ms >= ? and at_ms < ?',
    )
    .pluck()
  let first = (newest?.id ?? 0) + 1
  for (let hour = fromMs; hour <= (newest?.atMs ?? 0); hour += HOUR_MS) {
    first = Math.min(first, firstOfHour.get(hour, hour + HOUR_MS) ?? first)
    await pause(0, undefined, { signal })
  }
  return { toId: first - 1, fromMs }
}

async function removeKeysBefore(
  db: Db,
  fromMs: number,
  { pauseMs, signal }: { readonly pauseMs: number; readonly signal: AbortSignal | undefined },
): Promise<void> {
  const sqlite = db.$client
  const oldest = sqlite.prepare<[number], { id: number; atMs: number | null }>(
    `select id, (select min(at_ms) from log_keys where kind = log_kinds.id) as atMs
     from log_kinds where id > ? order by id limit ${KINDS_AT_ONCE}`,
  )
  const removeKeys = sqlite.prepare(
    `delete from log_keys where kind = @id and (at_ms, id) in
       (select at_ms, id from log_keys where kind = @id and at_ms < @fromMs limit ${ROWS_AT_ONCE})`,
  )
  const removeKind = sqlite.prepare(
    'delete from log_kinds where id = ? and not exists (select 1 from log_keys where kind = log_kinds.id)',
  )
  for (let after = 0; ; ) {
    const kinds = oldest.all(after)
    for (const { id, atMs } of kinds) {
      if (atMs !== null && atMs >= fromMs) continue
      for (;;) {
        const removed = await writingUnsynced(db, () => removeKeys.run({ id, fromMs }).changes)
        await pause(pauseMs, undefined, { signal })
        if (removed < ROWS_AT_ONCE) break
      }
      await writingUnsynced(db, () => removeKind.run(id))
    }
    const last = kinds.at(-1)
    if (last === undefined) return
    after = last.id
  }
}
