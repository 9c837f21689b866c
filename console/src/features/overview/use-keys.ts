import { listApiKeys } from 'schema'
import { useLiveQuery } from '../../api/use-live-query.ts'

const EVERY_MS = 60_000

/** The exchange keys of all clients: they change seldom, and what they need is not urgent. */
export const useKeys = () => useLiveQuery(listApiKeys, EVERY_MS)
