import { timingSafeEqual } from 'node:crypto'

/** Compares in a time that does not reveal how much is equal. */
export function isSameText(expected: string, given: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(given)]
  return a.length === b.length && timingSafeEqual(a, b)
}
