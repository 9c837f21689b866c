const OPEN = '\ue000'
const CLOSE = '\ue001'
// Characters from Unicode's private use area: no keyboard types them, and JSON leaves them as they
// are.
const PLACEHOLDER = new RegExp(`${OPEN}(\\w+)${CLOSE}`, 'g')

/**
 * A placeholder for a secret in a text that becomes part of a command or program: there it is the
 * variable `name`.
 */
export function shellVariable(name: string): string {
  return `${OPEN}${name}${CLOSE}`
}

/** Whether a `shellVariable` is in a text. */
export const hasVariable = (text: string) => text.search(PLACEHOLDER) >= 0

/** A text with something else in the place of each `shellVariable`. */
export function fillVariables(text: string, write: (name: string) => string): string {
  return text.replace(PLACEHOLDER, (_found, name: string) => write(name))
}

/**
 * One word of a POSIX shell, whatever the text holds: quotes, spaces, `$`, `!` and line breaks
 * arrive as they are, and a `shellVariable` becomes the variable's value.
 */
export function shellQuote(text: string): string {
  const withoutNames = text.replace(PLACEHOLDER, '')
  if (hasVariable(text) && !/["$`\\!]/.test(withoutNames))
    return `"${text.replace(PLACEHOLDER, '$$$1')}"`
  const quoted = `'${text.replaceAll("'", `'\\''`)}'`
  return quoted.replace(PLACEHOLDER, `'"$$$1"'`)
}
