/**
 * Reads all rows of a table by their ids, a page at a time.
 * @param readAfter reads the next rows after an id, lowest first; none: there are no more
 */
export async function* inPages<Row extends { readonly id: number }>(
  readAfter: (id: number) => Promise<Row[]>,
): AsyncGenerator<Row[], void> {
  for (let after = 0; ; ) {
    const rows = await readAfter(after)
    const last = rows.at(-1)
    if (last === undefined) return
    yield rows
    after = last.id
  }
}
