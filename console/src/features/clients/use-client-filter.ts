import { readSort } from '../../components/sort.ts'
import { useAddressParam } from '../../components/use-address-param.ts'
import { CLIENT_COLUMNS, type ClientFilter } from './filter-clients.ts'
import * as texts from './texts.ts'

/**
 * The filters as the address holds them, so that a link shows the same list; values it cannot hold
 * count as none.
 */
export function useClientFilter() {
  const [search, setSearch] = useAddressParam('q')
  const [state, setState] = useAddressParam('state')
  const [sort, setSort] = useAddressParam('sort')
  const filter: ClientFilter = {
    search,
    state: texts.filter.states.find(({ value }) => value === state)?.value ?? '',
    sort: readSort(sort, CLIENT_COLUMNS),
  }
  return {
    filter,
    /** The chosen order, as the address writes it. */
    sortText: texts.filter.sorts.find(({ value }) => value === sort)?.value ?? '',
    isNarrowed: filter.search.trim() !== '' || filter.state !== '',
    setSearch,
    setState,
    setSort,
    clear: () => {
      setSearch('')
      setState('')
    },
  }
}
export type ClientFilterState = ReturnType<typeof useClientFilter>
