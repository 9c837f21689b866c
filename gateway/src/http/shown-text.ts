/** Client secrets, the tokens of clients and administrators (JWT), and listen keys. */
const SECRETS =
  /sls_[\w-]{20,}|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}|(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/g

/**
 * A text that a caller sent, to be repeated or logged: without the secrets of this gateway that are
 * recognised by their form. A caller may have put one into the wrong place, such as the path.
 */
export function withoutSecrets(text: string): string {
  return text.replaceAll(SECRETS, '[redacted]')
}

/**
 * The name of a field that a caller sent, to be repeated: only a part that looks like a name. A
 * body of another type than the header says is one long name, with the password in it.
 */
export function shownName(name: string): string {
  return /[\w.-]{1,40}/.exec(withoutSecrets(name))?.[0] ?? 'unnamed'
}

/**
 * A text as a cell of a CSV file (RFC 4180). One that a spreadsheet would run as a formula gets an
 * apostrophe in front.
 */
export function toCell(value: string): string {
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
