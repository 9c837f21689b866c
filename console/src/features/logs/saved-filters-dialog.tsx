import { ActionIcon, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { Icon } from '../../components/icons.tsx'
import { isEmpty, type LogFilter } from './filter-logs.ts'
import {
  removeFilter,
  renameFilter,
  SAVED_NAME_LENGTH_MAX,
  type SavedFilter,
  saveFilter,
  useSavedFilters,
} from './saved-filters.ts'
import * as texts from './texts.ts'

interface SavedFiltersDialogProps {
  /** The filters that hold now. */
  readonly filter: LogFilter
  readonly onApply: (filter: LogFilter) => void
  readonly onClose: () => void
}

/** Sets of filters to take up again: a name is changed in place. */
export function SavedFiltersDialog({ filter, onApply, onClose }: SavedFiltersDialogProps) {
  const { saved } = useSavedFilters()
  const [name, setName] = useState('')
  const canSave = name.trim() !== '' && !isEmpty(filter)
  return (
    <Modal opened onClose={onClose} title={texts.saved.title}>
      <Stack>
        {saved.length === 0 && (
          <Text fz="sm" c="dimmed">
            {texts.saved.none}
          </Text>
        )}
        {saved.map((each) => (
          <SavedRow
            key={each.id}
            saved={each}
            onApply={() => {
              onApply(each.filter)
              onClose()
            }}
          />
        ))}
        <form
          onSubmit={(event) => {
            event.preventDefault()
            if (!canSave) return
            saveFilter(name.trim(), filter)
            setName('')
          }}
        >
          <Group align="flex-end" wrap="nowrap">
            <TextInput
              label={texts.saved.name}
              description={isEmpty(filter) ? texts.saved.empty : undefined}
              value={name}
              maxLength={SAVED_NAME_LENGTH_MAX}
              onChange={(event) => setName(event.currentTarget.value)}
              style={{ flex: 1 }}
            />
            <Button type="submit" disabled={!canSave}>
              {texts.saved.save}
            </Button>
          </Group>
        </form>
      </Stack>
    </Modal>
  )
}

function SavedRow({ saved, onApply }: { readonly saved: SavedFilter; onApply: () => void }) {
  const { id, name } = saved
  const rename = (field: HTMLInputElement) => {
    const next = field.value.trim()
    if (next === '') field.value = name
    else if (next !== name) renameFilter(id, next)
  }
  return (
    <Group wrap="nowrap" gap="xs">
      <TextInput
        aria-label={texts.saved.nameOf(name)}
        defaultValue={name}
        maxLength={SAVED_NAME_LENGTH_MAX}
        style={{ flex: 1 }}
        onBlur={({ currentTarget }) => rename(currentTarget)}
        onKeyDown={({ key, currentTarget }) => key === 'Enter' && rename(currentTarget)}
      />
      <Button variant="default" onClick={onApply} aria-label={texts.saved.applyOf(name)}>
        {texts.saved.apply}
      </Button>
      <ActionIcon
        variant="subtle"
        color="red"
        size="lg"
        aria-label={texts.saved.removeOf(name)}
        title={texts.saved.removeOf(name)}
        onClick={() => removeFilter(id)}
      >
        <Icon name="trash" />
      </ActionIcon>
    </Group>
  )
}
