import { Button, Group, Select, SimpleGrid, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { Card } from '../../components/card.tsx'
import { type AuditFilter, NO_FILTER } from './audit-filter.ts'
import * as texts from './texts.ts'
import { actionOptions } from './texts.ts'

interface AuditFiltersCardProps {
  readonly filter: AuditFilter
  readonly onApply: (filter: AuditFilter) => void
}

/** The filters. They apply when the form is sent: each search reads the whole trail. */
export function AuditFiltersCard({ filter, onApply }: AuditFiltersCardProps) {
  const [draft, setDraft] = useState(filter)
  const put = (changes: Partial<AuditFilter>) => setDraft({ ...draft, ...changes })
  const apply = (event: FormEvent) => {
    event.preventDefault()
    onApply(draft)
  }
  const isKnown = actionOptions.some(({ value }) => value === draft.action)
  const actions = isKnown
    ? [...actionOptions]
    : [...actionOptions, { value: draft.action, label: draft.action }]
  return (
    <Card title={texts.filters}>
      <form onSubmit={apply}>
        <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} spacing="sm">
          <TextInput
            label={texts.actor}
            placeholder={texts.actorHint}
            maxLength={320}
            value={draft.actor}
            onChange={({ currentTarget }) => put({ actor: currentTarget.value })}
          />
          <TextInput
            label={texts.subject}
            placeholder={texts.subjectHint}
            maxLength={320}
            value={draft.subject}
            onChange={({ currentTarget }) => put({ subject: currentTarget.value })}
          />
          <Select
            label={texts.action}
            data={actions}
            value={draft.action}
            onChange={(value) => put({ action: value ?? '' })}
            allowDeselect={false}
          />
          <TextInput
            type="date"
            label={texts.from}
            value={draft.from}
            onChange={({ currentTarget }) => put({ from: currentTarget.value })}
          />
          <TextInput
            type="date"
            label={texts.until}
            value={draft.until}
            onChange={({ currentTarget }) => put({ until: currentTarget.value })}
          />
        </SimpleGrid>
        <Group gap="xs" mt="md">
          <Button type="submit">{texts.apply}</Button>
          <Button variant="default" onClick={() => onApply(NO_FILTER)}>
            {texts.clear}
          </Button>
        </Group>
      </form>
    </Card>
  )
}
