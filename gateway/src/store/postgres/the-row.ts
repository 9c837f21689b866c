/** The row that a statement returned which cannot have failed to. */
export function theRow<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new Error('The statement returned no row')
  return row
}
