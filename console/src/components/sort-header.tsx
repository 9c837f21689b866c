import { Icon } from './icons.tsx'
import * as texts from './page-texts.ts'
import type { Sort } from './sort.ts'
import classes from './sort-header.module.css'
import { tableRoles } from './table-roles.ts'

interface SortHeaderProps<K extends string> {
  readonly column: K
  readonly label: string
  /** How the table is sorted now; undefined: not by a column. */
  readonly sort: Sort<K> | undefined
  /** Which way the first press sorts; a second one turns it round. */
  readonly isDescendingFirst?: boolean
  readonly onSort: (sort: Sort<K>) => void
  readonly className?: string | undefined
}

/** A column header that sorts, and says whether and how the table is sorted by it. */
export function SortHeader<K extends string>(props: SortHeaderProps<K>) {
  const { column, label, sort, isDescendingFirst = false, onSort, className } = props
  const isSorted = sort?.by === column
  const direction = isSorted ? (sort.isDescending ? 'descending' : 'ascending') : 'none'
  const next = isSorted ? !sort.isDescending : isDescendingFirst
  return (
    <th {...tableRoles.header} aria-sort={direction} className={className}>
      <button
        type="button"
        className={classes.sort}
        data-sorted={direction}
        title={texts.sortBy(label)}
        onClick={() => onSort({ by: column, isDescending: next })}
      >
        {label}
        <Icon name={isSorted ? 'arrowUp' : 'arrows'} size={12} />
      </button>
    </th>
  )
}
