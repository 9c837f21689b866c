import { useMemo } from 'react'
import { useAddressParams } from '../../components/use-address-param.ts'
import { type LogFilter, NO_FILTER, readSpan } from './filter-logs.ts'
import { methodOptions } from './method-options.ts'
import { statusOptions } from './texts.ts'

export interface LogFilterState {
  readonly filter: LogFilter
  readonly change: (changes: Partial<LogFilter>) => void
}

const NAMES = ['q', 'status', 'method', 'code', 'endpoint', 'client', 'span'] as const

/**
 * The filters as the address holds them, so that a link shows the same list; values it cannot hold
 * count as none.
 */
export function useLogFilter(): LogFilterState {
  const [{ q, status, method, code, endpoint, client, span }, changeAddress] =
    useAddressParams(NAMES)
  const filter = useMemo(
    () => ({
      search: q,
      status: known(statusOptions, status),
      method: known(methodOptions, method),
      code: /^\d{3}$/.test(code) ? code : '',
      endpoint,
      client,
      span: readSpan(span) === undefined ? '' : span,
    }),
    [q, status, method, code, endpoint, client, span],
  )
  return {
    filter,
    change: ({ search, ...same }) =>
      changeAddress(search === undefined ? same : { q: search, ...same }),
  }
}

/** What takes all filters away. */
export const clearFilter = ({ change }: LogFilterState) => change(NO_FILTER)

function known(options: readonly { readonly value: string }[], value: string): string {
  return options.some((option) => option.value === value) ? value : ''
}
