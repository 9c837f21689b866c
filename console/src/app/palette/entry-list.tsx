import { Box, Group, Text } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { Icon } from '../../components/icons.tsx'
import type { Entry } from './entries.ts'
import * as texts from './texts.ts'

export const optionId = (id: string, at: number) => `${id}-${at}`

interface EntryListProps {
  readonly id: string
  readonly entries: readonly Entry[]
  readonly current: number
  readonly onPoint: (at: number) => void
  readonly onChoose: (entry: Entry) => void
}

/** The entries in their groups. The field keeps the keyboard. */
export function EntryList({ id, entries, current, onPoint, onChoose }: EntryListProps) {
  const groups = Map.groupBy(entries.entries(), ([, { group }]) => group)
  return (
    <Box role="listbox" id={`${id}-list`} aria-label={texts.list} mah="60dvh" style={SCROLLS}>
      {[...groups].map(([group, lines]) => (
        <Box key={group} role="group" aria-labelledby={`${id}-${group}`}>
          <Text id={`${id}-${group}`} fz="xs" fw={600} c="dimmed" px="xs" pt="xs" pb={2}>
            {texts.groups[group]}
          </Text>
          {lines.map(([at, entry]) => (
            <Option
              key={entry.key}
              id={optionId(id, at)}
              entry={entry}
              isCurrent={at === current}
              onPoint={() => onPoint(at)}
              onChoose={() => onChoose(entry)}
            />
          ))}
        </Box>
      ))}
    </Box>
  )
}

const SCROLLS = { overflowY: 'auto' } as const

interface OptionProps {
  readonly id: string
  readonly entry: Entry
  readonly isCurrent: boolean
  readonly onPoint: () => void
  readonly onChoose: () => void
}

function Option({ id, entry, isCurrent, onPoint, onChoose }: OptionProps) {
  const line = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (isCurrent) line.current?.scrollIntoView({ block: 'nearest' })
  }, [isCurrent])
  const { icon, label, hint } = entry
  return (
    <Box
      ref={line}
      id={id}
      role="option"
      aria-selected={isCurrent}
      px="xs"
      py={6}
      mih={44}
      onMouseMove={isCurrent ? undefined : onPoint}
      // The field keeps the focus.
      onMouseDown={(event) => event.preventDefault()}
      onClick={onChoose}
      style={isCurrent ? { ...LINE, ...CURRENT } : LINE}
    >
      <Icon name={icon} size={16} style={{ flexShrink: 0 }} />
      <Group gap={0} justify="space-between" flex={1} miw={0} style={{ columnGap: 12 }}>
        <Text fz="sm" style={WRAPS}>
          {label}
        </Text>
        {hint !== undefined && (
          <Text fz="xs" c={isCurrent ? 'inherit' : 'dimmed'} style={WRAPS}>
            {hint}
          </Text>
        )}
      </Group>
    </Box>
  )
}

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
