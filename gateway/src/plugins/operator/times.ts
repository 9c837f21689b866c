export function toTime(ms: number): string {
  return new Date(ms).toISOString()
}

export function toTimeOrNull(ms: number | null): string | null {
  return ms === null ? null : toTime(ms)
}
