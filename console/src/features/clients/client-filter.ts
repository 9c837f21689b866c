import { compareText, readSort, type Sort, sorted } from '../../components/rows-table.tsx'
import { useAddressParam } from '../../components/use-address-param.ts'
import * as texts from './texts.ts'
import type { ClientRecord } from './use-clients.ts'

const CLIENT_COLUMNS = ['created', 'id', 'state'] as const
type ClientColumn = (typeof CLIENT_COLUMNS)[number]

export interface ClientFilter {
  /** Part of an id or description, in any case. */
  readonly search: string
  /** '' for all. */
  readonly state: '' | 'active' | 'inactive'
  /** Undefined: as the gateway lists them, newest first. */
  readonly sort: Sort<ClientColumn> | undefined
}

/** The clients that pass, in the wanted order. */
export function filterClients(
  clients: readonly ClientRecord[],
  { search, state, sort }: ClientFilter,
): readonly ClientRecord[] {
  const wanted = search.trim().toLowerCase()
  const passing = clients.filter(
    ({ clientId, description, isActive }) =>
      (state === '' || isActive === (state === 'active')) &&
      `${clientId}\n${description ?? ''}`.toLowerCase().includes(wanted),
  )
  return sort === undefined ? passing : sorted(passing, COMPARE[sort.by], sort.isDescending)
}

type Compare = (a: ClientRecord, b: ClientRecord) => number
const COMPARE: Readonly<Record<ClientColumn, Compare>> = {
  created: (a, b) => (Date.parse(a.createdAt) || 0) - (Date.parse(b.createdAt) || 0) || a.id - b.id,
  id: (a, b) => compareText(a.clientId, b.clientId),
  state: (a, b) => Number(b.isActive) - Number(a.isActive),
}

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
