/**
 * A text as a cell of a CSV file (RFC 4180). One that a spreadsheet would run as a formula gets an
 * apostrophe in front.
 */
export function toCell(value: string): string {
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
