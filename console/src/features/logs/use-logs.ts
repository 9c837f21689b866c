import { listLogs } from 'schema'
import { useLiveQuery } from '../../api/use-live-query.ts'

/** How often the log is read (SPECIFICATION, section 9). */
export const LOGS_EVERY_MS = 30_000

export const useLogs = (isPaused: boolean) => useLiveQuery(listLogs, LOGS_EVERY_MS, isPaused)
