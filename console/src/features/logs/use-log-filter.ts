import { useAddressParam } from '../../components/use-address-param.ts'
import type { LogFilter } from './filter-logs.ts'
import { methodOptions, statusOptions } from './texts.ts'

export interface LogFilterState extends LogFilter {
  readonly setSearch: (search: string) => void
  readonly setStatus: (status: string) => void
  readonly setMethod: (method: string) => void
  readonly clear: () => void
}

/** The filters as the address holds them, so that a link shows the same list; values it cannot hold count as none. */
export function useLogFilter(): LogFilterState {
  const [search, setSearch] = useAddressParam('q')
  const [status, setStatus] = useAddressParam('status')
  const [method, setMethod] = useAddressParam('method')
  const known = (options: readonly { value: string }[], value: string) =>
    options.some((option) => option.value === value) ? value : ''
  return {
    search,
    status: known(statusOptions, status),
    method: known(methodOptions, method),
    setSearch,
    setStatus,
    setMethod,
    clear: () => {
      setSearch('')
      setStatus('')
      setMethod('')
    },
  }
}
