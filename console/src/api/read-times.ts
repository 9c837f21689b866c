const times = new Map<string, number>()

/** Notes that a read, by its key, was answered now. */
export function noteRead(key: string): void {
  times.set(key, Date.now())
}

/** When the read was last answered; null when it was not yet. */
export function readTimeOf(key: string | null): number | null {
  return (key === null ? undefined : times.get(key)) ?? null
}
