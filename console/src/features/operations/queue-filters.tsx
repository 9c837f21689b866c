import { Select, SimpleGrid } from '@mantine/core'
import { EXCHANGE_NAMES, EXCHANGES, type QueueEntry } from 'schema'
import { formatCount } from '../../components/format.ts'
import { changeAddress } from '../../components/use-address-param.ts'
import * as texts from './texts.ts'
import { clientsOf, type QueueFilter } from './use-queue.tsx'

const { filters } = texts.queue

interface QueueFiltersProps {
  readonly entries: readonly QueueEntry[]
  readonly filter: QueueFilter
}

/** Narrows the queue by exchange, class and client. */
export default function QueueFilters({ entries, filter }: QueueFiltersProps) {
  const clients = clientsOf(entries).map(([clientId, count]) => ({
    value: clientId,
    label: `${clientId} (${formatCount(count)})`,
  }))
  // The client that the address names may have nothing waiting by now.
  const isKnown = filter.client === '' || clients.some(({ value }) => value === filter.client)
  if (!isKnown) clients.unshift({ value: filter.client, label: `${filter.client} (0)` })
  const exchanges = EXCHANGES.map((value) => ({ value, label: EXCHANGE_NAMES[value] }))
  const classes = Object.entries(texts.classes).map(([value, label]) => ({ value, label }))
  const fields = [
    { key: 'exchange', label: filters.exchange, all: filters.anyExchange, data: exchanges },
    { key: 'class', label: filters.requestClass, all: filters.anyClass, data: classes },
    { key: 'client', label: filters.client, all: filters.anyClient, data: clients },
  ] as const
  return (
    <SimpleGrid cols={3} spacing="xs" mb="xs">
      {fields.map(({ key, label, all, data }) => (
        <Select
          key={key}
          size="xs"
          aria-label={label}
          data={[...data]}
          placeholder={all}
          searchable={key === 'client'}
          clearable
          comboboxProps={{ width: 'max-content', position: 'bottom-start' }}
          value={filter[key] || null}
          onChange={(next) => changeAddress({ [key]: next ?? '' })}
        />
      ))}
    </SimpleGrid>
  )
}
