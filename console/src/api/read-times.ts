const times = new Map<string, number>()

/** Notes that a read, by its key, got its response now. */
export function noteRead(key: string): void {
  times.set(key, Date.now())
}

/** When the read last got a response; null before the first. */
export function readTimeOf(key: string | null): number | null {
  return (key === null ? undefined : times.get(key)) ?? null
}
