import { LOCALE } from './locale.ts'

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
