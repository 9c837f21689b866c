/** A word for POSIX shells: quoted whole, and every single quote in it closed, escaped and opened again. */
export function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
