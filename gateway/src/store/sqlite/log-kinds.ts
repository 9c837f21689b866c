import { nextStep } from '../in-steps.ts'
import { type LogCondition, type LogKey, type LogRange, toParams } from '../log-filter.ts'
import { type IndexedPart, type LogSqlite, newestRowId } from './log-walk.ts'

// Kinds that one statement compares with a filter: 1 to 3 ms.
const KINDS_AT_ONCE = 10_000
// New rows that one statement compares with a filter: 2 to 5 ms.
const NEW_ROWS_AT_ONCE = 5_000
/** Keys that are read of a kind at first, and then at once. */
const FIRST_KEYS = 8
const MORE_KEYS = 200

/** A kind that has rows in the range: none of them is newer than `newestMs`. */
interface FoundKind {
  readonly kind: number
  readonly newestMs: number
}

/** Keys that were read of one source and not used yet; the newest is the last one. */
interface OpenSource {
  keys: LogKey[]
  /** Reads the keys that follow one; undefined when all of them were read at first. */
  readonly more?: (below: LogKey) => LogKey[]
}

/**
 * Finds the rows of a range that a condition lets through, newest first: compares the kinds with
 * the condition instead of the rows, and merges the keys of the kinds that match, and of the rows
 * that match by themselves.
 * @param keysMax the most keys of a batch
 */
export async function* walkKinds(
  sqlite: LogSqlite,
  range: LogRange,
  condition: LogCondition,
  { toId }: IndexedPart,
  keysMax: number,
  signal?: AbortSignal,
): AsyncGenerator<LogKey[], void> {
  const kinds = await findKinds(sqlite, range, condition, signal)
  const readKeys = keyReader(sqlite, range, condition, toId)
  const open: OpenSource[] = []
  insert(open, { keys: await newKeys(sqlite, range, condition, toId, signal) })
  for (const single of singlesOf(condition)) {
    const read = singleReader(sqlite, range, condition, single, toId)
    insert(open, { keys: read(range.below, FIRST_KEYS), more: (key) => read(key, MORE_KEYS) })
    await nextStep(signal)
  }
  let batch: LogKey[] = []
  for (;;) {
    for (let next = kinds.at(-1); isNext(next, newestOf(open.at(-1))); next = kinds.at(-1)) {
      kinds.pop()
      const { kind } = next
      const more = (key: LogKey) => readKeys(kind, key, MORE_KEYS)
      insert(open, { keys: readKeys(kind, range.below, FIRST_KEYS), more })
    }
    const first = open.pop()
    const key = first?.keys.pop()
    if (first === undefined || key === undefined) break
    if (first.keys.length === 0) first.keys = first.more?.(key) ?? []
    insert(open, first)
    if (batch.push(key) < keysMax) continue
    yield batch
    batch = []
    await nextStep(signal)
  }
  if (batch.length > 0) yield batch
}

/** Counts the rows that `walkKinds` finds, until there are `max` of them. */
export async function countByKinds(
  sqlite: LogSqlite,
  range: LogRange,
  condition: LogCondition,
  { toId }: IndexedPart,
  max: number,
  signal?: AbortSignal,
): Promise<number> {
  let sum = (await newKeys(sqlite, range, condition, toId, signal)).length
  for (const single of singlesOf(condition)) {
    sum += singleReader(sqlite, range, condition, single, toId)(range.below, max).length
    await nextStep(signal)
  }
  const counts = sqlite
    .prepare<[object], number>(
      `select (select count(*) from (
         select 1 from log_keys where kind = log_kinds.id and at_ms >= @sinceMs
           and (at_ms, id) < (@belowMs, @belowId) and id > @afterId and id <= @toId
           ${ofRow(condition)} limit @max))
       from log_kinds where id > @from and id <= @to and ${condition.kinds}`,
    )
    .pluck()
  for await (const part of partsOfKinds(sqlite, signal)) {
    const params = { ...condition.params, ...toParams(range), ...part, toId, max }
    for (const count of counts.iterate(params)) {
      sum += count
      if (sum >= max) return max
    }
  }
  return Math.min(sum, max)
}

/** The kinds that match and have rows in the range, the one with the newest row last. */
async function findKinds(
  sqlite: LogSqlite,
  range: LogRange,
  condition: LogCondition,
  signal?: AbortSignal,
): Promise<FoundKind[]> {
  const find = sqlite.prepare<[object], Omit<FoundKind, 'newestMs'> & { newestMs: number | null }>(
    `select id as kind, (select at_ms from log_keys where kind = log_kinds.id
       and at_ms <= @belowMs order by at_ms desc limit 1) as newestMs
     from log_kinds where id > @from and id <= @to and ${condition.kinds}`,
  )
  const found: FoundKind[] = []
  for await (const part of partsOfKinds(sqlite, signal)) {
    const kinds = find.all({ ...condition.params, ...toParams(range), ...part })
    for (const { kind, newestMs } of kinds)
      if (newestMs !== null && newestMs >= range.sinceMs) found.push({ kind, newestMs })
  }
  return found.sort((a, b) => a.newestMs - b.newestMs)
}

/** Divides the kinds into parts, with a turn of the event loop between two parts. */
export async function* partsOfKinds(
  sqlite: LogSqlite,
  signal?: AbortSignal,
): AsyncGenerator<{ from: number; to: number }, void> {
  // Most ids of the past are gone: what is between two parts is skipped.
  const next = sqlite
    .prepare<[number], number>('select id from log_kinds where id > ? order by id limit 1')
    .pluck()
  for (let first = next.get(0); first !== undefined; ) {
    const to = first + KINDS_AT_ONCE
    yield { from: first - 1, to }
    await nextStep(signal)
    first = next.get(to)
  }
}

/** SQL: the row of a key meets a condition that kinds do not know. */
export const rowOfKey = (condition: string) =>
  `exists (select 1 from request_logs where request_logs.id = log_keys.id and ${condition})`

export const ofRow = ({ ofRow: condition }: LogCondition) =>
  condition === undefined ? '' : `and ${rowOfKey(condition)}`

/** Reads keys of a kind below a position, the newest last. */
function keyReader(sqlite: LogSqlite, range: LogRange, condition: LogCondition, toId: number) {
  const read = sqlite.prepare<[object], LogKey>(
    `select at_ms as atMs, id from log_keys where kind = @kind and at_ms >= @sinceMs
       and (at_ms, id) < (@belowMs, @belowId) and id > @afterId and id <= @toId ${ofRow(condition)}
     order by at_ms desc, id desc limit @max`,
  )
  return (kind: number, below: LogKey, max: number): LogKey[] =>
    read.all({ ...toParams({ ...range, below }), kind, toId, max }).reverse()
}

/** The keys of the matching rows that are not indexed yet, the newest last. */
async function newKeys(
  sqlite: LogSqlite,
  range: LogRange,
  condition: LogCondition,
  toId: number,
  signal?: AbortSignal,
): Promise<LogKey[]> {
  const read = sqlite.prepare<[object], LogKey>(
    `select at_ms as atMs, id from request_logs where id > @from and id <= @to and id > @afterId
       and at_ms >= @sinceMs and (at_ms, id) < (@belowMs, @belowId) and ${condition.rows}`,
  )
  const newestId = newestRowId(sqlite)
  const keys: LogKey[] = []
  for (let from = toId; from < newestId; from += NEW_ROWS_AT_ONCE) {
    const to = Math.min(from + NEW_ROWS_AT_ONCE, newestId)
    keys.push(...read.all({ ...condition.params, ...toParams(range), from, to }))
    await nextStep(signal)
  }
  return keys.sort(compareKeys)
}

/** Rows that a search finds by themselves, each with the index that has them. */
export function singlesOf({ singles }: LogCondition): readonly { index: string; sql: string }[] {
  if (singles === undefined) return []
  const byNote = { index: 'request_logs_note', sql: singles.byNote }
  if (singles.byRequestId === undefined) return [byNote]
  return [byNote, { index: 'request_logs_at', sql: singles.byRequestId }]
}

/** Reads the keys of such rows below a position, the newest last. */
function singleReader(
  sqlite: LogSqlite,
  range: LogRange,
  { params }: LogCondition,
  { index, sql }: { readonly index: string; readonly sql: string },
  toId: number,
) {
  const read = sqlite.prepare<[object], LogKey>(
    `select at_ms as atMs, id from request_logs indexed by ${index}
     where at_ms >= @sinceMs and (at_ms, id) < (@belowMs, @belowId) and id > @afterId
       and id <= @toId and ${sql} order by at_ms desc, id desc limit @max`,
  )
  return (below: LogKey, max: number): LogKey[] =>
    read.all({ ...params, ...toParams({ ...range, below }), toId, max }).reverse()
}

const newestOf = (open: OpenSource | undefined) => open?.keys.at(-1)

/** Whether a kind that is not open yet may have a row that is newer than all that are open. */
function isNext(kind: FoundKind | undefined, newest: LogKey | undefined): kind is FoundKind {
  return kind !== undefined && (newest === undefined || kind.newestMs >= newest.atMs)
}

/** Keeps the sources sorted: the one with the newest key is the last one. Drops an empty one. */
function insert(open: OpenSource[], added: OpenSource): void {
  const newest = newestOf(added)
  if (newest === undefined) return
  let low = 0
  let high = open.length
  while (low < high) {
    const middle = (low + high) >> 1
    const other = newestOf(open[middle])
    if (other !== undefined && compareKeys(other, newest) < 0) low = middle + 1
    else high = middle
  }
  open.splice(low, 0, added)
}

function compareKeys(a: LogKey, b: LogKey): number {
  return a.atMs - b.atMs || a.id - b.id
}
