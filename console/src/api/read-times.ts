/** How many entries a list has at the gateway, whatever part of it was sent. */
export interface ListTotal {
  readonly count: number
  /** Whether there are more than `count`: the gateway stops counting there. */
  readonly isMore: boolean
}

interface Read {
  readonly atMs: number
  readonly total: ListTotal | undefined
}

const reads = new Map<string, Read>()

/** Notes that a read, by its key, got its response now. */
export function noteRead(key: string, headers?: Headers): void {
  reads.set(key, { atMs: Date.now(), total: headers && readTotal(headers) })
}

/** When the read last got a response; null before the first. */
export function readTimeOf(key: string | null): number | null {
  return readOf(key)?.atMs ?? null
}

/** Undefined when the gateway sent none: what it sent is all there is. */
export function totalOf(key: string | null): ListTotal | undefined {
  return readOf(key)?.total
}

const readOf = (key: string | null) => (key === null ? undefined : reads.get(key))

/** Undefined when the gateway sent none. */
export function readTotal(headers: Headers): ListTotal | undefined {
  const text = headers.get('x-total-count')
  if (text === null || !/^\d+$/.test(text)) return undefined
  return { count: Number(text), isMore: headers.get('x-total-count-relation') === 'gte' }
}
