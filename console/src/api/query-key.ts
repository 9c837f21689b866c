import { type Endpoint, urlOf } from 'schema'
import type { CallInput } from './client.ts'

/** The address of a read: the key of its response in the cache. */
export function queryKey(endpoint: Endpoint, input?: CallInput): string {
  return urlOf(endpoint, input)
}
