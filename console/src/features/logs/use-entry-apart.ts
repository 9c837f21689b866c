import { listLogs } from 'schema'
import { useQuery } from '../../api/use-query.ts'
import { type LogLine, toLogLines } from './log-line.ts'

/** The entry that an address names and that is not loaded, read by its id. */
export function useEntryApart(loaded: readonly LogLine[], key: string) {
  const isApart = /^\d{1,15}$/.test(key) && !loaded.some((line) => line.key === key)
  const { data } = useQuery(listLogs, isApart ? { query: { id: Number(key) } } : null)
  const line = isApart ? toLogLines(data ?? []).find((each) => each.key === key) : undefined
  return { line, isGone: isApart && data !== undefined && line === undefined }
}
