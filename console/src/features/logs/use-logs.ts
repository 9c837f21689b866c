import { listLogs } from 'schema'
import { useLiveQuery } from '../../api/use-live-query.ts'

/** How often the log is read (docs/console-checklist.md, 169). */
export const LOGS_EVERY_MS = 30_000

export const useLogs = (isPaused: boolean) => useLiveQuery(listLogs, LOGS_EVERY_MS, isPaused)
