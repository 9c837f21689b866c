import { Group, SegmentedControl, Select } from '@mantine/core'
import { EXCHANGE_NAMES, EXCHANGES, listClients } from 'schema'
import { useQuery } from '../../api/queries.tsx'
import { TypedInput } from '../../components/typed-input.tsx'
import { changeAddress } from '../../components/use-address-param.ts'
import * as texts from './texts.ts'
import type { OrderFilter } from './use-orders.ts'

const { filters } = texts.list

const optionsOf = (labels: Readonly<Record<string, string>>) =>
  Object.entries(labels).map(([value, label]) => ({ value, label }))
/** The first ones are what a person comes for; others are possible in the address. */
const FIRST_STATES = optionsOf(texts.list.firstStates)
const ALL_STATES = optionsOf({ open: texts.list.firstStates.open, ...texts.states })
const EXCHANGE_OPTIONS = EXCHANGES.map((value) => ({ value, label: EXCHANGE_NAMES[value] }))

/** What narrows the list, in one line where there is room. */
export function OrderFilters({ filter }: { readonly filter: OrderFilter }) {
  const { data: clients = [] } = useQuery(listClients)
  const clientIds = clients.map(({ clientId }) => ({ value: clientId, label: clientId }))
  const selects = [
    ['client', filter.clientId, clientIds],
    ['exchange', filter.exchange, EXCHANGE_OPTIONS],
    ['side', filter.side, optionsOf(texts.list.sides)],
    ['state', filter.state, ALL_STATES],
    ['span', filter.span, optionsOf(texts.list.spans)],
  ] as const
  return (
    <Group gap="xs" mb="sm">
      <SegmentedControl
        aria-label={filters.first}
        data={FIRST_STATES}
        value={filter.state ?? ''}
        onChange={(state) => changeAddress({ state })}
      />
      {selects.map(([name, value, data]) => (
        <Select
          key={name}
          aria-label={filters[name]}
          placeholder={filters[name]}
          data={[...data]}
          value={value ?? null}
          onChange={(next) => changeAddress({ [name]: next ?? '' })}
          clearable
          searchable={name === 'client'}
          flex={name === 'client' ? '2 1 120px' : '1 1 116px'}
          miw={name === 'exchange' ? 116 : 96}
        />
      ))}
      <TypedInput
        aria-label={filters.symbol}
        placeholder={filters.symbol}
        value={filter.symbol ?? ''}
        // As the exchange writes it.
        onApply={(text) => changeAddress({ symbol: text.trim().toUpperCase() })}
        maxLength={64}
        autoComplete="off"
        spellCheck={false}
        flex="1 1 96px"
        miw={96}
      />
    </Group>
  )
}
