import { Group, Select } from '@mantine/core'
import { exchangeOptions } from './exchange-options.ts'
import * as texts from './texts.ts'

export interface ApiKeyFilter {
  /** '' for all. */
  readonly clientId: string
  readonly exchange: string
}

interface ApiKeyFiltersProps {
  readonly clientIds: readonly string[]
  readonly filter: ApiKeyFilter
  readonly onClient: (clientId: string) => void
  readonly onExchange: (exchange: string) => void
}

export function ApiKeyFilters({ clientIds, filter, onClient, onExchange }: ApiKeyFiltersProps) {
  const clientOptions = clientIds.map((value) => ({ value, label: value }))
  return (
    <Group gap="sm" maw={420} mb="md">
      <Select
        aria-label={texts.clientFilter}
        data={[{ value: '', label: texts.allClients }, ...clientOptions]}
        value={filter.clientId}
        onChange={(value) => onClient(value ?? '')}
        allowDeselect={false}
        // In the page's landmark, not beside it.
        comboboxProps={{ withinPortal: false }}
        flex="1 1 180px"
      />
      <Select
        aria-label={texts.exchangeFilter}
        data={[{ value: '', label: texts.allExchanges }, ...exchangeOptions]}
        value={filter.exchange}
        onChange={(value) => onExchange(value ?? '')}
        allowDeselect={false}
        comboboxProps={{ withinPortal: false }}
        flex="1 1 130px"
      />
    </Group>
  )
}
