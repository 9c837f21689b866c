/**
 * The roles that native table elements have anyway. Safari drops them where a style sheet changes
 * `display`, as narrow screens do here; spread on the elements they keep their meaning.
 */
export const tableRoles = {
  table: { role: 'table' },
  group: { role: 'rowgroup' },
  row: { role: 'row' },
  header: { role: 'columnheader' },
  rowHeader: { role: 'rowheader' },
  cell: { role: 'cell' },
} as const
