import { Box, Code, Group, Modal, Stack, Switch, Text, TextInput } from '@mantine/core'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { StopDialog, type StopWish } from '../../api/stop-dialog.tsx'
import { FailureNote } from '../../components/failure-note.tsx'
import { useFocusReturn } from '../../components/focus.ts'
import { Icon } from '../../components/icons.tsx'
import { type OrderSearch, useFindOrder } from '../../features/order-life/find-order.ts'
import * as orderTexts from '../../features/order-life/texts.ts'
import { type Entry, useEntries } from './entries.tsx'
import { guardStart, type Opened, takeTyped, useSingleKeys } from './keys.ts'
import * as texts from './texts.ts'

interface PaletteProps {
  readonly opened: Opened | null
  readonly onOpen: (what: Opened | null) => void
}

/** The palette, the question that a command asks before it does anything, and the shortcuts. */
export default function Palette({ opened, onOpen }: PaletteProps) {
  const [stop, setStop] = useState<StopWish | null>(null)
  const close = () => onOpen(null)
  return (
    <>
      {opened === 'palette' && (
        <PaletteDialog onStop={setStop} onShortcuts={() => onOpen('shortcuts')} onClose={close} />
      )}
      {opened === 'shortcuts' && <ShortcutsDialog onClose={close} />}
      {stop && <StopDialog {...stop} onClose={() => setStop(null)} />}
    </>
  )
}

interface PaletteDialogProps {
  readonly onStop: (stop: StopWish) => void
  readonly onShortcuts: () => void
  readonly onClose: () => void
}

/** One field that leads anywhere, finds an order, and opens the question of a command. */
function PaletteDialog({ onStop, onShortcuts, onClose }: PaletteDialogProps) {
  const [opener] = useState(() => document.activeElement)
  useFocusReturn()
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
    if ('run' in does && does.stays === true) return does.run()
    // At once: a dialog that opens now returns the keyboard there, not to the closed palette.
    if (opener instanceof HTMLElement) opener.focus()
    onClose()
    if ('go' in does) return goTo(does.go, navigate)
    guardStart()
    if ('stop' in does) onStop(does.stop)
    else does.run()
  }
  const press = (event: KeyboardEvent) => {
    const next = NEXT[event.key]?.(current, entries.length)
    const entry = event.key === 'Enter' ? entries[current] : undefined
    const isOfInputMethod = event.nativeEvent.isComposing || event.keyCode === 229
    if (isOfInputMethod || (next === undefined && entry === undefined)) return
    event.preventDefault()
    if (next !== undefined) setActive(next)
    else if (entry !== undefined && !event.repeat) choose(entry)
  }

  return (
    <Modal {...MODAL} onClose={onClose}>
      <Stack gap="xs">
        <TextInput
          {...FIELD}
          aria-controls={`${id}-list`}
          aria-activedescendant={`${id}-${current}`}
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value)
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

const MODAL = {
  opened: true,
  title: texts.title,
  size: 'lg',
  yOffset: '6dvh',
  returnFocus: false,
  transitionProps: { duration: 0 },
  'data-palette': true,
} as const
const FIELD = {
  role: 'combobox',
  'aria-label': texts.field,
  'aria-expanded': true,
  'aria-autocomplete': 'list',
  'data-autofocus': true,
  placeholder: texts.placeholder,
  leftSection: <Icon name="search" size={16} />,
  maxLength: 255,
  autoComplete: 'off',
  spellCheck: false,
  size: 'md',
} as const

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

interface FindStateProps extends Pick<OrderSearch, 'found' | 'error' | 'isSearching'> {
  readonly onRetry: () => void
}

/** What came of the search for an order. */
function FindState({ found, isSearching, error, onRetry }: FindStateProps) {
  return (
    <>
      <Box role="status" fz="sm">
        {isSearching && <span>{texts.finding}</span>}
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
        {found !== undefined && found.orders.length > 0 && (
          <span>{orderTexts.several(found.orders.length)}</span>
        )}
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

interface EntryListProps {
  readonly id: string
  readonly entries: readonly Entry[]
  readonly current: number
  readonly onPoint: (at: number) => void
  readonly onChoose: (entry: Entry) => void
}

/** The entries in their groups. The field keeps the keyboard. */
function EntryList({ id, entries, current, onPoint, onChoose }: EntryListProps) {
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current?.querySelector(`[id="${id}-${current}"]`)?.scrollIntoView({ block: 'nearest' })
  }, [id, current])
  const groups = Map.groupBy(entries.entries(), ([, { group }]) => group)
  return (
    <Box ref={list} role="listbox" id={`${id}-list`} aria-label={texts.list} style={SCROLLS}>
      {[...groups].map(([group, lines]) => (
        <Box key={group} role="group" aria-labelledby={`${id}-${group}`}>
          <Text id={`${id}-${group}`} fz="xs" fw={600} c="dimmed" px="xs" pt="xs" pb={2}>
            {texts.groups[group]}
          </Text>
          {lines.map(([at, entry]) => {
            const isCurrent = at === current
            return (
              <Box
                key={entry.key}
                id={`${id}-${at}`}
                role="option"
                aria-selected={isCurrent}
                px="xs"
                py={6}
                mih={44}
                onMouseMove={isCurrent ? undefined : () => onPoint(at)}
                // The field keeps the focus.
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => onChoose(entry)}
                style={isCurrent ? { ...LINE, ...CURRENT } : LINE}
              >
                <Icon name={entry.icon} size={16} style={{ flexShrink: 0 }} />
                <Group gap={0} justify="space-between" flex={1} miw={0} style={{ columnGap: 12 }}>
                  <Text fz="sm" style={WRAPS}>
                    {entry.label}
                  </Text>
                  {entry.hint !== undefined && (
                    <Text fz="xs" c={isCurrent ? 'inherit' : 'dimmed'} style={WRAPS}>
                      {entry.hint}
                    </Text>
                  )}
                </Group>
              </Box>
            )
          })}
        </Box>
      ))}
    </Box>
  )
}

const SCROLLS = { overflowY: 'auto', maxHeight: '60dvh' } as const
const WRAPS = { overflowWrap: 'anywhere', minWidth: 0 } as const
const LINE = {
  display: 'flex',
  alignItems: 'center',
  gap: 10,
  cursor: 'pointer',
  borderRadius: 'var(--mantine-radius-md)',
} as const
/** Forced colours leave of the two only the outline. */
const CURRENT = {
  background: 'var(--mantine-color-sluice-light)',
  outline: '2px solid var(--mantine-color-sluice-light-color)',
  outlineOffset: -2,
} as const

/** What the keys do, and the switch for those of a single key. */
function ShortcutsDialog({ onClose }: { readonly onClose: () => void }) {
  useFocusReturn()
  const { isOn, set } = useSingleKeys()
  const { title, rows, single, singleHint } = texts.shortcuts
  return (
    <Modal opened onClose={onClose} title={title} size="lg" transitionProps={{ duration: 0 }}>
      <Stack gap="md">
        <Stack component="ul" gap={10} p={0} m={0} aria-label={title}>
          {rows.map(([keys, what]) => (
            <Group key={keys} component="li" gap={4} style={{ columnGap: 12 }}>
              <Group gap={6} w={170}>
                {keys.split(', ').map((each) => (
                  <Code key={each} component="kbd">
                    {each}
                  </Code>
                ))}
              </Group>
              <Text fz="sm" flex="1 1 200px">
                {what}
              </Text>
            </Group>
          ))}
        </Stack>
        <Switch
          label={single}
          description={singleHint}
          checked={isOn}
          onChange={(event) => set(event.currentTarget.checked)}
        />
      </Stack>
    </Modal>
  )
}
