import { type Endpoint, listClients, type ResponseOf } from 'schema'
import { type CallInput, call, type Ended, SESSION_ENDED } from './client.ts'
import { readTotal } from './read-times.ts'

/** Lists that the console shows and searches as a whole, however many pages they have. */
const WHOLE_LISTS: readonly Endpoint[] = [listClients]

/** Like `call`; of a list that the console needs whole, it reads the pages one after the other. */
export async function readWhole<E extends Endpoint>(
  endpoint: E,
  input: CallInput,
  onHeaders: (headers: Headers) => void,
): Promise<ResponseOf<E> | Ended> {
  let total = 0
  const first = await call(endpoint, input, (headers) => {
    total = readTotal(headers)?.count ?? 0
    onHeaders(headers)
  })
  if (!Array.isArray(first) || !WHOLE_LISTS.includes(endpoint)) return first
  const list: { readonly id: number }[] = Array.from(first)
  while (list.length < total) {
    const before = list.at(-1)?.id
    const page: unknown = await call(endpoint, { query: { ...input.query, before } })
    if (page === SESSION_ENDED) return SESSION_ENDED
    if (!Array.isArray(page) || page.length === 0) break
    list.push(...Array.from<{ readonly id: number }>(page))
  }
  // Entries of the pages are of the type that the first page has.
  return list as ResponseOf<E>
}
