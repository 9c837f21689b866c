/**
 * The rows of a CSV file (RFC 4180), the header among them, read without the console's own writer
 * in mind.
 * @throws when a line does not end in CRLF
 */
export function parseCsv(text: string): string[][] {
  const rows: string[][] = []
  for (const line of text.split(/(?<=\r\n)/)) {
    if (!line.endsWith('\r\n')) throw new Error(`"${line}" does not end in CRLF`)
    rows.push(
      [...line.slice(0, -2).matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^",]*))/g)].map(
        ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '',
      ),
    )
  }
  return rows
}
