// Longer text is shown as its first and last five characters (docs/console-checklist.md, 100).
const LENGTH_MAX = 30
const KEPT = 5

/** The dots of everything shortened, everywhere the same. */
export const DOTS = '...'

/** What nobody sees, or what turns the direction of the text after it. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Co}]/gu

/** A text with the names of its hidden characters in their place. */
export function visible(text: string): string {
  return text.replace(HIDDEN, (found) => {
    const code = (found.codePointAt(0) ?? 0).toString(16).toUpperCase()
    return `[U+${code.padStart(4, '0')}]`
  })
}

/** Whether an id may look like another one. The gateway takes no new one like that. */
export function isDeceptive(text: string): boolean {
  const scripts = [/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u]
  return visible(text) !== text || scripts.filter((script) => script.test(text)).length > 1
}

/** Text of more than 30 characters as its first 5, dots, its last 5. */
export function shorten(text: string): string {
  const whole = visible(text)
  return whole.length > LENGTH_MAX ? `${whole.slice(0, KEPT)}${DOTS}${whole.slice(-KEPT)}` : whole
}
