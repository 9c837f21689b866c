import { Skeleton, UnstyledButton, VisuallyHidden } from '@mantine/core'
import {
  type HTMLAttributes,
  memo,
  type ReactNode,
  startTransition,
  useEffect,
  useRef,
  useState,
} from 'react'
import { flushSync } from 'react-dom'
import { LOCALE } from './format.ts'
import { Icon } from './icons.tsx'
import * as pageTexts from './page-texts.ts'
import classes from './rows-table.module.css'
import * as texts from './texts.ts'

/** One column of a list, as data. */
export interface Column<T> {
  /** Also its name in the address, where the list is sorted by it. */
  readonly key: string
  readonly head: string
  readonly cell: (row: T) => ReactNode
  /** With it a person can sort by the column. */
  readonly compare?: (a: T, b: T) => number
  /** The first press sorts the greatest first: times and numbers. */
  readonly isDescendingFirst?: boolean
  /** Names the row. */
  readonly isRowHeader?: boolean
  /** Digits below digits, at the right. */
  readonly isNumber?: boolean
  /** Of buttons: at the right, its head only for screen readers. */
  readonly isActions?: boolean
  /**
   * Where the list is narrow, each row is a card: `line` takes a whole line of it, `plain` has no
   * label, `hidden` is left out. Otherwise the head is its label.
   */
  readonly card?: 'line' | 'plain' | 'hidden'
  /** CSS width, such as `112px`; without it the column takes what its text needs. */
  readonly width?: string
  readonly className?: string
}

/**
 * The columns of a list, in the order of their heads in the catalogue: of each its cell, with what
 * else it is.
 */
export function columnsFrom<T, Key extends string = string>(
  heads: Readonly<Record<Key, string>>,
  parts: Readonly<Record<Key, Column<T>['cell'] | Omit<Column<T>, 'key' | 'head'>>>,
): readonly Column<T>[] {
  return (Object.keys(heads) as Key[]).map((key) => {
    const part: Column<T>['cell'] | Omit<Column<T>, 'key' | 'head'> = parts[key]
    return { key, head: heads[key], ...(typeof part === 'function' ? { cell: part } : part) }
  })
}

interface RowsTableProps<T> {
  readonly label: string
  readonly columns: readonly Column<T>[]
  /** Undefined while they are read for the first time. */
  readonly rows: readonly T[] | undefined
  readonly keyOf: (row: T) => string | number
  /** In place of a table without rows. */
  readonly empty?: ReactNode
  readonly sort?: Sort<string> | undefined
  readonly onSort?: ((sort: Sort<string>) => void) | undefined
  /** A click anywhere on a row that is on none of its links or buttons. */
  readonly onOpen?: ((row: T) => void) | undefined
  /** What happens around the rows. */
  readonly events?: HTMLAttributes<HTMLDivElement>
  /** Gives each row an address of its own; all of them are then made at once. */
  readonly idOf?: ((row: T) => string) | undefined
  /** Whether it is narrow is decided by the room of a container around it, not by its own. */
  readonly isNested?: boolean
}

const SKELETONS = [1, 2, 3]

/**
 * A list: a table where there is room, a card for each row where there is not. The first rows are
 * made at once, more as the end comes near.
 */
export function RowsTable<T>(props: RowsTableProps<T>) {
  const { label, columns, rows, keyOf, empty, sort, onSort, onOpen, idOf } = props
  const { events, isNested = false } = props
  const column = columns.find(({ key }) => key === sort?.by)
  const compare = column?.compare
  const inOrder =
    rows === undefined || compare === undefined || sort === undefined
      ? (rows ?? [])
      : sorted(rows, compare, sort.isDescending)
  const { visible, end } = useGrowingList(inOrder, idOf ? inOrder.length : STEP)
  if (rows?.length === 0 && empty !== undefined) return empty
  return (
    <div className={isNested ? undefined : classes.box} {...events}>
      <table {...tableRoles.table} className={classes.rows} aria-label={label}>
        <thead {...tableRoles.group}>
          <tr {...tableRoles.row}>
            {columns.map((each) => (
              <Head key={each.key} {...{ column: each, sort, onSort }} />
            ))}
          </tr>
        </thead>
        <tbody {...tableRoles.group}>
          {rows === undefined &&
            SKELETONS.map((number) => (
              <tr key={number} {...tableRoles.row}>
                <td {...tableRoles.cell} colSpan={columns.length}>
                  <Skeleton height={16} aria-hidden="true" />
                </td>
              </tr>
            ))}
          {visible.map((row) => (
            <Row key={keyOf(row)} {...{ row, columns, onOpen, idOf }} />
          ))}
        </tbody>
      </table>
      {rows === undefined && <span role="status" aria-label={`${texts.loading} ${label}`} />}
      <div ref={end} />
    </div>
  )
}

type HeadProps<T> = Pick<RowsTableProps<T>, 'sort' | 'onSort'> & { readonly column: Column<T> }

function Head<T>({ column, sort, onSort }: HeadProps<T>) {
  const { key, head, compare, isDescendingFirst, isNumber, isActions, width } = column
  const className = isNumber ? classes.number : undefined
  if (compare !== undefined && onSort !== undefined)
    return (
      <SortHeader {...{ column: key, label: head, isDescendingFirst, sort, onSort, className }} />
    )
  return (
    <th {...tableRoles.header} scope="col" className={className} style={{ width }}>
      {isActions ? <VisuallyHidden>{head}</VisuallyHidden> : head}
    </th>
  )
}

type RowProps<T> = Pick<RowsTableProps<T>, 'columns' | 'onOpen' | 'idOf'> & { readonly row: T }

/** A click there does what the element does. */
const OWN_CLICKS = 'a, button, input, label, summary, [role="menu"], [role="switch"]'

const Row = memo(function Row<T>({ row, columns, onOpen, idOf }: RowProps<T>) {
  const open = (target: EventTarget) => {
    const isOwn = target instanceof Element && target.closest(OWN_CLICKS) !== null
    if (!isOwn && getSelection()?.isCollapsed !== false) onOpen?.(row)
  }
  return (
    <tr
      {...tableRoles.row}
      id={idOf?.(row)}
      {...(onOpen && { 'data-opens': true, onClick: ({ target }) => open(target) })}
    >
      {columns.map(({ key, head, cell, card, isRowHeader, isNumber, isActions, className }) => {
        const Cell = isRowHeader ? 'th' : 'td'
        return (
          <Cell
            key={key}
            {...(isRowHeader ? { ...tableRoles.rowHeader, scope: 'row' } : tableRoles.cell)}
            data-card={isActions ? 'actions' : card}
            data-label={card === undefined && !isActions ? head : undefined}
            className={[isNumber && classes.number, isActions && classes.actions, className]
              .filter(Boolean)
              .join(' ')}
          >
            {cell(row)}
          </Cell>
        )
      })}
    </tr>
  )
}) as <T>(props: RowProps<T>) => ReactNode

interface SortHeaderProps<K extends string> {
  readonly column: K
  readonly label: string
  /** How the table is sorted now; undefined: not by a column. */
  readonly sort: Sort<K> | undefined
  /** Which way the first press sorts; a second one turns it round. */
  readonly isDescendingFirst?: boolean | undefined
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
      <UnstyledButton
        className={classes.sort ?? ''}
        data-sorted={direction}
        title={pageTexts.sortBy(label)}
        onClick={() => onSort({ by: column, isDescending: next })}
      >
        {label}
        <Icon name={isSorted ? 'arrowUp' : 'arrows'} size={12} />
      </UnstyledButton>
    </th>
  )
}

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

/** What a screen shows; so many are made in one step, which is too short for a person to notice. */
const STEP = 12
/** How far below the window the next rows are made, so that scrolling meets no gap. */
const AHEAD = '600px'

/**
 * The first rows of a long list, and more of them as its end comes near: a thousand rows at once
 * would hold the page for seconds. `end` belongs on the element behind the last row.
 */
export function useGrowingList<T>(rows: readonly T[], first = STEP) {
  const [shown, setShown] = useState(first)
  const end = useRef<HTMLDivElement>(null)
  const hasMore = shown < rows.length

  // biome-ignore lint/correctness/useExhaustiveDependencies: watching anew tells whether the end is still near.
  useEffect(() => {
    if (!hasMore || end.current === null) return
    const watcher = new IntersectionObserver(
      ([entry]) =>
        entry?.isIntersecting && startTransition(() => setShown((count) => count + STEP)),
      { rootMargin: AHEAD },
    )
    watcher.observe(end.current)
    return () => watcher.disconnect()
  }, [hasMore, shown])

  // What is printed does not scroll.
  useEffect(() => {
    const showAll = () => flushSync(() => setShown(Number.POSITIVE_INFINITY))
    window.addEventListener('beforeprint', showAll)
    return () => window.removeEventListener('beforeprint', showAll)
  }, [])

  return { visible: rows.slice(0, shown), end }
}

/** A column by which rows are sorted, and which way. */
export interface Sort<K extends string> {
  readonly by: K
  readonly isDescending: boolean
}

/** Reads `created` or `-created` as an address holds it; undefined for what is no column. */
export function readSort<K extends string>(
  text: string,
  columns: readonly K[],
): Sort<K> | undefined {
  const isDescending = text.startsWith('-')
  const name = isDescending ? text.slice(1) : text
  const by = columns.find((column) => column === name)
  return by === undefined ? undefined : { by, isDescending }
}

export function writeSort<K extends string>({ by, isDescending }: Sort<K>): string {
  return isDescending ? `-${by}` : by
}

/** A sorted copy; rows that compare as equal keep their order, also when it is turned round. */
export function sorted<T>(
  rows: readonly T[],
  compare: (a: T, b: T) => number,
  isDescending: boolean,
): T[] {
  return rows.toSorted(isDescending ? (a, b) => compare(b, a) : compare)
}

const collator = new Intl.Collator(LOCALE, { numeric: true, sensitivity: 'base' })
/** Text as a person sorts it: `bot-9` before `bot-10`, upper and lower case together. */
export const compareText = collator.compare
