import { Group, Select } from '@mantine/core'
import type { ReactNode } from 'react'
import { EXCHANGE_NAMES, EXCHANGES, type QueueEntry } from 'schema'
import { formatCount } from '../../components/format.ts'
import * as texts from './texts.ts'
import { clientsOf, type QueueFilter } from './use-queue.ts'

interface QueueFiltersProps {
  readonly entries: readonly QueueEntry[]
  readonly filter: QueueFilter
  readonly onChange: (change: Partial<QueueFilter>) => void
  /** Beside the fields. */
  readonly children: ReactNode
}

const { filters: words } = texts.queue

/** Narrows the queue by exchange, class and client. */
export function QueueFilters({ entries, filter, onChange, children }: QueueFiltersProps) {
  const clients = clientsOf(entries).map(([clientId, count]) => ({
    value: clientId,
    label: `${clientId} (${formatCount(count)})`,
  }))
  // The client that the address names may have nothing waiting by now.
  const isKnown = filter.client === '' || clients.some(({ value }) => value === filter.client)
  if (!isKnown) clients.unshift({ value: filter.client, label: `${filter.client} (0)` })
  return (
    <Group align="end" gap="sm" mb="sm">
      <Select
        size="xs"
        w={150}
        label={words.exchange}
        data={EXCHANGES.map((value) => ({ value, label: EXCHANGE_NAMES[value] }))}
        placeholder={words.all}
        clearable
        value={filter.exchange || null}
        onChange={(next) => onChange({ exchange: next ?? '' })}
      />
      <Select
        size="xs"
        w={150}
        label={words.requestClass}
        data={Object.entries(texts.classes).map(([value, label]) => ({ value, label }))}
        placeholder={words.all}
        clearable
        value={filter.class || null}
        onChange={(next) => onChange({ class: next ?? '' })}
      />
      <Select
        size="xs"
        w={260}
        label={words.client}
        data={clients}
        placeholder={words.anyClient}
        searchable
        clearable
        value={filter.client || null}
        onChange={(next) => onChange({ client: next ?? '' })}
      />
      {children}
    </Group>
  )
}
