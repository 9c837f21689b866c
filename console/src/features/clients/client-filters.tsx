import { NativeSelect, TextInput } from '@mantine/core'
import { Icon } from '../../components/icons.tsx'
import classes from './client-list.module.css'
import * as texts from './texts.ts'
import type { ClientFilterState } from './use-client-filter.ts'

/** Search, state and order of the list. */
export function ClientFilters({ state }: { readonly state: ClientFilterState }) {
  const { filter, sortText, setSearch, setState, setSort } = state
  return (
    <div className={classes.filters}>
      <TextInput
        type="search"
        aria-label={texts.filter.searchLabel}
        placeholder={texts.filter.search}
        leftSection={<Icon name="search" size={16} />}
        value={filter.search}
        onChange={(event) => setSearch(event.currentTarget.value)}
        className={classes.search}
      />
      <NativeSelect
        aria-label={texts.filter.stateLabel}
        data={[...texts.filter.states]}
        value={filter.state}
        onChange={(event) => setState(event.currentTarget.value)}
      />
      <NativeSelect
        aria-label={texts.filter.sortLabel}
        data={[...texts.filter.sorts]}
        value={sortText}
        onChange={(event) => setSort(event.currentTarget.value)}
      />
    </div>
  )
}
