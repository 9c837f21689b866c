import { type ApiKey, EXCHANGE_NAMES } from 'schema'
import { compareText, type Sort, sorted } from '../../components/sort.ts'

export const API_KEY_COLUMNS = ['client', 'exchange', 'status', 'created'] as const
export type ApiKeyColumn = (typeof API_KEY_COLUMNS)[number]

/** The keys in the wanted order; as the gateway lists them when none is wanted. */
export function sortApiKeys(
  keys: readonly ApiKey[],
  sort: Sort<ApiKeyColumn> | undefined,
): readonly ApiKey[] {
  return sort === undefined ? keys : sorted(keys, COMPARE[sort.by], sort.isDescending)
}

type Compare = (a: ApiKey, b: ApiKey) => number
const isWorking = ({ testStatus }: ApiKey) => Number(testStatus === 'success')
const COMPARE: Readonly<Record<ApiKeyColumn, Compare>> = {
  client: (a, b) => compareText(a.clientId, b.clientId),
  exchange: (a, b) => compareText(EXCHANGE_NAMES[a.exchange], EXCHANGE_NAMES[b.exchange]),
  // What needs work first.
  status: (a, b) => isWorking(a) - isWorking(b),
  created: (a, b) => (Date.parse(a.createdAt) || 0) - (Date.parse(b.createdAt) || 0),
}
