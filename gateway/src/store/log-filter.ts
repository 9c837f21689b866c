import type { LogFilter, LogPage } from './log-store.ts'

/**
 * What a row has to meet, and how the rows are found that meet it: SQL that both databases
 * understand, with its parameters as `@name`.
 */
export interface LogCondition {
  /** For a row. */
  readonly rows: string
  /** For a kind: what all of its rows meet. */
  readonly kinds: string
  /** What a row of such a kind must meet as well; undefined: nothing. */
  readonly ofRow: string | undefined
  /** The rows that meet the condition, although their kind does not; undefined: there are none. */
  readonly singles: LogSingles | undefined
  readonly params: Readonly<Record<string, string | number>>
}

/** Conditions that exclude each other. */
interface LogSingles {
  readonly byNote: string
  /** Within `idFromMs` and `idToMs`. Undefined when the search is not the beginning of an id. */
  readonly byRequestId: string | undefined
}

/** The operator of the database that takes upper and lower case of ASCII letters as the same. */
type LikeOperator = 'like' | 'ilike'

function searchParts(like: LikeOperator) {
  const has = (column: string) => `${column} ${like} @search escape '\\'`
  return {
    kindHas: `(${has('endpoint')} or ${has("coalesce(client_id, '')")} or ${has("coalesce(code, '')")})`,
    noteHas: has("coalesce(note, '')"),
    idBegins: `(at_ms between @idFromMs and @idToMs and request_id ${like} @idBegin)`,
  }
}

/**
 * The condition of a filter, except for its times.
 * @returns undefined when the filter has only times
 */
export function toCondition(filter: LogFilter, like: LikeOperator): LogCondition | undefined {
  const { search, refused } = filter
  const { parts, params } = exactParts(filter)
  const ofRow = refused && OF_REFUSED[refused]
  const rowParts = ofRow === undefined ? parts : [...parts, ofRow]
  if (search === undefined || search === '') {
    if (rowParts.length === 0) return undefined
    const kinds = parts.length === 0 ? 'true' : parts.join(' and ')
    return { rows: rowParts.join(' and '), kinds, ofRow, singles: undefined, params }
  }
  const { kindHas, noteHas, idBegins } = searchParts(like)
  const id = readIdBeginning(search)
  const and = (...more: string[]) => [...more, ...rowParts].join(' and ')
  const orId = id === undefined ? '' : ` or ${idBegins}`
  return {
    rows: and(`(${kindHas} or ${noteHas}${orId})`),
    kinds: [kindHas, ...parts].join(' and '),
    ofRow,
    singles: {
      byNote: and('note is not null', noteHas, `not ${kindHas}`),
      byRequestId: id && and(idBegins, `not (${kindHas} or ${noteHas})`),
    },
    params: { ...params, ...id, search: `%${search.replace(/[\\%_]/g, '\\$&')}%` },
  }
}

/** SQL: the gateway refused the request itself; nothing was sent to an exchange. */
export const IS_REFUSED = '(status_code >= 400 and upstream_ms is null)'
const OF_REFUSED = { hide: `not ${IS_REFUSED}`, only: IS_REFUSED } as const

/** The filters that compare a whole value. */
function exactParts({ status, code, method, endpoint, clientId, refused }: LogFilter) {
  const parts: string[] = []
  const params: Record<string, string | number> = {}
  if (status === 'success') parts.push('status_code between 200 and 299')
  if (status === 'error' || refused === 'only') parts.push('status_code >= 400')
  if (code !== undefined) {
    parts.push('status_code = @status')
    params.status = code
  }
  if (method !== undefined) {
    parts.push('method = @method')
    params.method = method
  }
  if (endpoint !== undefined) {
    parts.push('endpoint = @endpoint')
    params.endpoint = endpoint
  }
  if (clientId !== undefined) {
    // A kind without a client has an empty one.
    parts.push(`client_id = @clientId and client_id <> ''`)
    params.clientId = clientId
  }
  return { parts, params }
}

/** Eight digits of a request id say within 66 s when the request came. */
const ID_BEGINNING = /^[0-9a-f]{8}(?:-[0-9a-f-]{0,27})?$/
/** The clock may have been set between the id and the row's time. */
const ID_MARGIN_MS = 5_000

/**
 * Request ids begin with the time of the request (`http/request-origin.ts`), so that the rows of a
 * few minutes are examined, and no index of the ids is needed.
 * @returns undefined when the text is not the beginning of an id
 */
function readIdBeginning(search: string) {
  const text = search.toLowerCase()
  if (!ID_BEGINNING.test(text)) return undefined
  const digits = text.replaceAll('-', '').slice(0, 12)
  return {
    idBegin: `${text}%`,
    idFromMs: Number.parseInt(digits.padEnd(12, '0'), 16) - ID_MARGIN_MS,
    idToMs: Number.parseInt(digits.padEnd(12, 'f'), 16) + ID_MARGIN_MS,
  }
}

/** The columns of a row under the names of `LogRow`. */
export const LOG_COLUMNS = `id, at_ms as "atMs", method, endpoint, status_code as "statusCode",
  response_ms as "responseMs", queue_ms as "queueMs", upstream_ms as "upstreamMs",
  client_ref as "clientRef", client_id as "clientId", request_id as "requestId", exchange, code,
  shared, note, message`

/** A row's position in the log: by time, and by id within a millisecond. */
export interface LogKey {
  readonly atMs: number
  readonly id: number
}

/** A part of the log: the rows below a position, at or after a time, committed after a row. */
export interface LogRange {
  readonly below: LogKey
  readonly sinceMs: number
  readonly afterId: number
}

/** Finds where a page begins whose `beforeId` is given; its parameter is `@beforeId`. */
export const KEY_BEFORE =
  'select at_ms as "atMs", id from request_logs where id <= @beforeId order by id desc limit 1'

export function untilKey({ untilMs }: LogFilter): LogKey {
  return { atMs: untilMs ?? Number.MAX_SAFE_INTEGER, id: 0 }
}

/**
 * The position below which a page begins.
 * @param row what KEY_BEFORE found
 * @returns undefined when there can be no row
 */
export function keyBefore(
  page: Omit<LogPage, 'limit'>,
  row: LogKey | undefined,
): LogKey | undefined {
  if (row === undefined) return undefined
  const until = untilKey(page)
  // If the row was removed with its client, the page begins with the row that was committed before
  // it.
  const before = row.id === page.beforeId ? row : { atMs: row.atMs, id: row.id + 1 }
  return before.atMs < until.atMs ? before : until
}

/** All rows within the times of a filter. */
export const wholeRange = (filter: LogFilter): LogRange => ({
  ...{ below: untilKey(filter), sinceMs: filter.sinceMs, afterId: -1 },
})

/** A range as the parameters of a statement. */
export const toParams = ({ below, sinceMs, afterId }: LogRange) => ({
  ...{ belowMs: below.atMs, belowId: below.id, sinceMs, afterId },
})
