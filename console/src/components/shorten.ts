// Longer text is shown as its first and last five characters (docs/console-checklist.md, 100).
const LENGTH_MAX = 30
const KEPT = 5

/** The dots of everything shortened, everywhere the same. */
export const DOTS = '...'

/** Text of more than 30 characters as its first 5, dots, its last 5. */
export function shorten(text: string): string {
  return text.length > LENGTH_MAX ? `${text.slice(0, KEPT)}${DOTS}${text.slice(-KEPT)}` : text
}
