import { Box, Modal, Stack, Text, TextInput } from '@mantine/core'
import { type KeyboardEvent, useId, useState } from 'react'
import { useLocation } from 'wouter'
import { FailureNote } from '../../components/failure-note.tsx'
import { Icon } from '../../components/icons.tsx'
import * as orderTexts from '../../features/order-life/texts.ts'
import { useFindOrder } from '../../features/order-life/use-find-order.ts'
import type { AskedAction } from './action-dialog.tsx'
import type { Entry } from './entries.ts'
import { EntryList, optionId } from './entry-list.tsx'
import * as texts from './texts.ts'
import { takeTyped } from './type-ahead.ts'
import { useEntries } from './use-entries.ts'
import { usePaletteFocus } from './use-palette-focus.ts'

interface PaletteDialogProps {
  readonly onAsk: (action: AskedAction) => void
  readonly onShortcuts: () => void
  readonly onClose: () => void
}

/** One field that leads anywhere, finds an order, and opens the question of a command. */
export function PaletteDialog({ onAsk, onShortcuts, onClose }: PaletteDialogProps) {
  const toOpener = usePaletteFocus()
  const id = useId()
  const [, navigate] = useLocation()
  const [text, setText] = useState('')
  const [active, setActive] = useState(0)
  const { found, error, isSearching, search } = useFindOrder(onClose)
  // What was found belongs to the text that it was found by.
  const [foundBy, setFoundBy] = useState('')
  const shown = foundBy === text ? found : undefined
  const find = () => {
    setFoundBy(text)
    setActive(0)
    void search(text)
  }
  const entries = useEntries(text, shown, find, onShortcuts)
  const current = Math.min(active, entries.length - 1)

  const choose = ({ does }: Entry) => {
    if ('run' in does) {
      does.run()
      if (does.stays !== true) onClose()
      return
    }
    toOpener()
    onClose()
    if ('ask' in does) onAsk(does.ask)
    else goTo(does.go, navigate)
  }
  const press = (event: KeyboardEvent) => {
    const next = NEXT[event.key]?.(current, entries.length)
    const entry = event.key === 'Enter' ? entries[current] : undefined
    if (event.nativeEvent.isComposing || (next === undefined && entry === undefined)) return
    event.preventDefault()
    if (next !== undefined) setActive(next)
    else if (entry !== undefined && !event.repeat) choose(entry)
  }

  return (
    <Modal
      opened
      onClose={onClose}
      title={texts.title}
      size="lg"
      yOffset="6dvh"
      returnFocus={false}
      transitionProps={{ duration: 0 }}
      data-palette
    >
      <Stack gap="xs">
        <SearchField
          text={text}
          listId={`${id}-list`}
          optionId={optionId(id, current)}
          onText={(change) => {
            setText(change)
            setActive(0)
          }}
          onFocus={() => setText((known) => known + takeTyped())}
          onKeyDown={press}
        />
        <FindState found={shown} isSearching={isSearching} error={error} onRetry={find} />
        <EntryList
          id={id}
          entries={entries}
          current={current}
          onPoint={setActive}
          onChoose={choose}
        />
      </Stack>
    </Modal>
  )
}

interface SearchFieldProps {
  readonly text: string
  readonly listId: string
  /** Of the entry that Enter chooses. */
  readonly optionId: string
  readonly onText: (text: string) => void
  readonly onFocus: () => void
  readonly onKeyDown: (event: KeyboardEvent) => void
}

function SearchField(props: SearchFieldProps) {
  const { text, listId, optionId, onText, onFocus, onKeyDown } = props
  return (
    <TextInput
      role="combobox"
      aria-label={texts.field}
      aria-expanded
      aria-autocomplete="list"
      aria-controls={listId}
      aria-activedescendant={optionId}
      placeholder={texts.placeholder}
      leftSection={<Icon name="search" size={16} />}
      value={text}
      onChange={(event) => onText(event.currentTarget.value)}
      onFocus={onFocus}
      onKeyDown={onKeyDown}
      data-autofocus
      maxLength={255}
      autoComplete="off"
      spellCheck={false}
      size="md"
    />
  )
}

interface FindStateProps extends Pick<ReturnType<typeof useFindOrder>, 'error' | 'isSearching'> {
  /** What was found by the text of the field. */
  readonly found: ReturnType<typeof useFindOrder>['found']
  readonly onRetry: () => void
}

/** What came of the search for an order. */
function FindState({ found, isSearching, error, onRetry }: FindStateProps) {
  return (
    <>
      <Box role="status" fz="sm">
        {isSearching && texts.finding}
        {found?.orders.length === 0 && (
          <>
            <Text fz="sm" fw={600}>
              {orderTexts.none(found.text)}
            </Text>
            <Text fz="sm" c="dimmed">
              {orderTexts.noneHint(found.keptDays)}
            </Text>
          </>
        )}
        {found !== undefined && found.orders.length > 0 && orderTexts.several(found.orders.length)}
      </Box>
      {error !== undefined && (
        <FailureNote
          title={orderTexts.failed}
          detail={error instanceof Error ? error.message : String(error)}
          requestId={null}
          onRetry={onRetry}
        />
      )}
    </>
  )
}

const NEXT: Readonly<Record<string, (at: number, count: number) => number>> = {
  ArrowDown: (at, count) => (at + 1) % count,
  ArrowUp: (at, count) => (at + count - 1) % count,
  PageDown: (at, count) => Math.min(at + 8, count - 1),
  PageUp: (at) => Math.max(at - 8, 0),
}

function goTo(address: string, navigate: (address: string) => void): void {
  navigate(address)
  // A page that is already open does not look for the target by itself.
  const [, target = ''] = address.split('#')
  if (target !== '') document.getElementById(target)?.scrollIntoView()
}
