import { Group, SegmentedControl, Select, TextInput } from '@mantine/core'
import { EXCHANGE_NAMES, EXCHANGES, listClients } from 'schema'
import { useQuery } from '../../api/queries.tsx'
import * as texts from './texts.ts'
import type { OrderFilter, useOrderFilter } from './use-orders.ts'

const { filters } = texts.list

const optionsOf = (labels: Readonly<Record<string, string>>) =>
  Object.entries(labels).map(([value, label]) => ({ value, label }))
/** The first ones are what a person comes for; others are possible in the address. */
const FIRST_STATES = optionsOf(texts.list.firstStates)
const ALL_STATES = optionsOf({ open: texts.list.firstStates.open, ...texts.states })
const EXCHANGE_OPTIONS = EXCHANGES.map((value) => ({ value, label: EXCHANGE_NAMES[value] }))

interface OrderFiltersProps {
  readonly filter: OrderFilter
  readonly change: ReturnType<typeof useOrderFilter>['change']
}

/** What narrows the list, in one line where there is room. */
export function OrderFilters({ filter, change }: OrderFiltersProps) {
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
        onChange={(state) => change({ state })}
      />
      {selects.map(([name, value, data]) => (
        <Select
          key={name}
          aria-label={filters[name]}
          placeholder={filters[name]}
          data={[...data]}
          value={value ?? null}
          onChange={(next) => change({ [name]: next ?? '' })}
          clearable
          searchable={name === 'client'}
          flex={name === 'client' ? '2 1 120px' : '1 1 116px'}
          miw={name === 'exchange' ? 116 : 96}
        />
      ))}
      <SymbolField key={filter.symbol} symbol={filter.symbol ?? ''} change={change} />
    </Group>
  )
}

interface SymbolFieldProps {
  readonly symbol: string
  readonly change: OrderFiltersProps['change']
}

/** The symbol as the exchange writes it. Enter or leaving the field filters. */
function SymbolField({ symbol, change }: SymbolFieldProps) {
  const take = (text: string) => {
    const wanted = text.trim().toUpperCase()
    if (wanted !== symbol) change({ symbol: wanted })
  }
  return (
    <TextInput
      aria-label={filters.symbol}
      placeholder={filters.symbol}
      defaultValue={symbol}
      onBlur={(event) => take(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') take(event.currentTarget.value)
      }}
      maxLength={64}
      autoComplete="off"
      spellCheck={false}
      flex="1 1 96px"
      miw={96}
    />
  )
}
