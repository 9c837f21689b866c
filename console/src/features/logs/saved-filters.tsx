import { ActionIcon, Button, Group, Modal, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { create } from 'zustand'
import { persist } from 'zustand/middleware'
import { Icon } from '../../components/icons.tsx'
import { Quiet } from '../../components/page.tsx'
import { isEmpty, type LogFilter, NO_FILTER } from './log-filter.ts'
import * as texts from './texts.ts'

interface SavedFiltersDialogProps {
  /** The filters that hold now. */
  readonly filter: LogFilter
  readonly onApply: (filter: LogFilter) => void
  readonly onClose: () => void
}

/** Sets of filters to take up again: a name is changed in place. */
export default function SavedFilters({ filter, onApply, onClose }: SavedFiltersDialogProps) {
  const { saved } = useSavedFilters()
  const [name, setName] = useState('')
  const canSave = name.trim() !== '' && !isEmpty(filter)
  return (
    <Modal opened onClose={onClose} title={texts.saved.title}>
      <Stack>
        {saved.length === 0 && <Quiet>{texts.saved.none}</Quiet>}
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
            // Not randomUUID: plain http has none.
            const id = `${Date.now()}-${saved.length}`
            change((before) => [...before, { id, name: name.trim(), filter }])
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
    else change((all) => all.map((each) => (each.id === id ? { ...each, name: next } : each)))
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
        onClick={() => change((all) => all.filter((each) => each.id !== id))}
      >
        <Icon name="trash" />
      </ActionIcon>
    </Group>
  )
}

interface SavedFilter {
  readonly id: string
  readonly name: string
  readonly filter: LogFilter
}

const SAVED_NAME_LENGTH_MAX = 40

interface SavedFilters {
  readonly saved: readonly SavedFilter[]
}

/** Sets of filters with a name, kept by the browser; oldest first. */
const useSavedFilters = create<SavedFilters>()(
  persist((): SavedFilters => ({ saved: [] }), {
    name: 'sluice.log-filters',
    merge: (stored, current) => ({ ...current, saved: readSaved(stored) }),
  }),
)

const change = (next: (saved: readonly SavedFilter[]) => readonly SavedFilter[]) =>
  useSavedFilters.setState(({ saved }) => ({ saved: next(saved) }))

/** Storage can hold what another version wrote: what is no text counts as no filter. */
function readSaved(stored: unknown): readonly SavedFilter[] {
  if (!isRecord(stored) || !Array.isArray(stored.saved)) return []
  return stored.saved.filter(isRecord).flatMap(({ id, name, filter }) => {
    if (typeof id !== 'string' || typeof name !== 'string' || !isRecord(filter)) return []
    const names = Object.keys(NO_FILTER) as (keyof LogFilter)[]
    const texts = names.map((key) => [key, typeof filter[key] === 'string' ? filter[key] : ''])
    return [{ id, name, filter: { ...NO_FILTER, ...Object.fromEntries(texts) } }]
  })
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
