import type { LogPage, NewLogRow } from '../../src/store/log-store.ts'

export type LoggedRow = Pick<
  NewLogRow,
  'atMs' | 'method' | 'endpoint' | 'statusCode' | 'clientId' | 'requestId' | 'code' | 'note'
> & { readonly id: number; readonly upstreamMs?: number | null }

/** Only ASCII has two cases, whatever the locale of the database is. */
const lower = (text: string) => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())

/** The rows that a page has to hold, by comparing every row with the filter. */
export function matching<T extends LoggedRow>(
  all: readonly T[],
  page: Omit<LogPage, 'limit'>,
): T[] {
  const { search = '', status, code, method, endpoint, clientId, refused } = page
  const before = all.find(({ id }) => id === page.beforeId)
  const words = lower(search)
  const isFound = (row: T) =>
    [row.endpoint, row.clientId, row.code, row.note].some((text) =>
      lower(text ?? '').includes(words),
    ) ||
    (words.length >= 8 && row.requestId.startsWith(words))
  const keeps = (row: T) =>
    row.atMs >= page.sinceMs &&
    row.atMs < (page.untilMs ?? Number.POSITIVE_INFINITY) &&
    (before === undefined || isBefore(row, before)) &&
    row.id > (page.afterId ?? 0) &&
    isFound(row) &&
    (refused === undefined || isRefused(row) === (refused === 'only')) &&
    (status !== 'success' || (row.statusCode >= 200 && row.statusCode <= 299)) &&
    (status !== 'error' || row.statusCode >= 400) &&
    row.statusCode === (code ?? row.statusCode) &&
    row.method === (method ?? row.method) &&
    row.endpoint === (endpoint ?? row.endpoint) &&
    row.clientId === (clientId === undefined ? row.clientId : clientId)
  return all.filter(keeps).sort((one, other) => (isBefore(one, other) ? 1 : -1))
}

/** The gateway refused the request itself: nothing was sent. */
export const isRefused = ({ statusCode, upstreamMs }: LoggedRow) =>
  statusCode >= 400 && upstreamMs == null

const isBefore = (row: LoggedRow, other: LoggedRow) =>
  row.atMs < other.atMs || (row.atMs === other.atMs && row.id < other.id)
