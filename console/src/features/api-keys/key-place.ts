import type { ApiKey } from 'schema'

/** Whose keys, and where: names one set of keys. */
export type KeyPlace = Pick<ApiKey, 'clientId' | 'exchange'>
