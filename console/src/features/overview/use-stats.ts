import { getStats } from 'schema'
import { useLiveQuery } from '../../api/use-live-query.ts'

/** How often the statistics are read (docs/console-checklist.md, 79). */
export const STATS_EVERY_MS = 5000

export const useStats = () => useLiveQuery(getStats, STATS_EVERY_MS)
