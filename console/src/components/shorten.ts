// Longer text is shown as its first and last five characters (docs/console-checklist.md, 100).
const LENGTH_MAX = 30
const KEPT = 5

/** The dots of everything shortened, everywhere the same. */
export const DOTS = '...'

/** Text of more than 30 characters as its first 5, dots, its last 5. */
export function shorten(text: string): string {
  return text.length > LENGTH_MAX ? `${text.slice(0, KEPT)}${DOTS}${text.slice(-KEPT)}` : text
}

/** Text of more than `length` characters with dots in its middle, `length` long altogether. */
export function cutMiddle(text: string, length: number): string {
  if (text.length <= length) return text
  const kept = length - DOTS.length
  const start = Math.ceil(kept / 2)
  return `${text.slice(0, start)}${DOTS}${text.slice(text.length - (kept - start))}`
}
