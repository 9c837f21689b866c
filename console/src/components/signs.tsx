import { Group, Text } from '@mantine/core'
import { useNetwork } from '@mantine/hooks'
import { formatTimeOfDay } from './format.ts'
import * as texts from './page-texts.ts'
import classes from './signs.module.css'

export type TagColour = 'blue' | 'green' | 'yellow' | 'red' | 'gray'

interface TagProps {
  readonly colour: TagColour
  readonly children: string | number
}

/**
 * A badge of one plain element: lists hold thousands, and a component for each slows their
 * scrolling.
 */
export function Tag({ colour, children }: TagProps) {
  return (
    <span
      className={classes.tag}
      style={{
        background: `var(--mantine-color-${colour}-light)`,
        color: `var(--mantine-color-${colour}-light-color)`,
      }}
    >
      {children}
    </span>
  )
}

// Colours of the methods (console-checklist.md, 178).
const METHODS: Readonly<Record<string, TagColour>> = {
  GET: 'blue',
  POST: 'green',
  PUT: 'yellow',
  DELETE: 'red',
}

export function MethodTag({ method }: { readonly method: string }) {
  return <Tag colour={METHODS[method] ?? 'gray'}>{method}</Tag>
}

/** By the hundreds of a status. */
const STATUSES: Readonly<Record<number, TagColour>> = { 2: 'green', 4: 'yellow', 5: 'red' }

export function StatusTag({ status }: { readonly status: number }) {
  return <Tag colour={STATUSES[Math.floor(status / 100)] ?? 'gray'}>{status}</Tag>
}

const SHAPES = {
  good: { colour: 'green', path: 'M6 1a5 5 0 1 0 0 10A5 5 0 1 0 6 1z' },
  waiting: { colour: 'yellow', path: 'M2 1h3v10h-3zM7 1h3v10h-3z' },
  bad: { colour: 'red', path: 'M6 0.5 12 11.5H0z' },
  off: { colour: 'red', path: 'M1 1h10v10H1z' },
} as const

export type Sign = keyof typeof SHAPES

/** A state as a shape and a colour; the words beside it say it too. */
export function StateSign({ sign }: { readonly sign: Sign }) {
  const { colour, path } = SHAPES[sign]
  return (
    <svg
      width="12"
      height="12"
      viewBox="0 0 12 12"
      aria-hidden="true"
      className={classes.sign}
      style={{ color: `var(--sluice-ink-${colour})` }}
    >
      <path d={path} fill="currentColor" />
    </svg>
  )
}

interface LiveSignProps {
  /** Time of the last good response, null before the first; and the error of the last read. */
  readonly of: { readonly readAtMs: number | null; readonly error: unknown }
  readonly everyMs: number
  /** Somebody stopped the reading for a while. */
  readonly isPaused?: boolean
}

/** Whether what is shown is current, and since when not. */
export function LiveSign({ of, everyMs, isPaused = false }: LiveSignProps) {
  const { readAtMs, error } = of
  const { online } = useNetwork()
  const time = readAtMs === null ? '' : formatTimeOfDay(readAtMs)
  const states: readonly (readonly [state: string, words: string, isSo: boolean])[] = [
    ['offline', texts.liveOffline(time), !online],
    ['paused', texts.livePaused(time), isPaused],
    ['failed', texts.liveFailed(time, everyMs / 1000), error !== undefined],
    ['waiting', texts.liveWaiting, readAtMs === null],
  ]
  const [state, words] = states.find(([, , isSo]) => isSo) ?? ['live', texts.liveLive(time)]
  return (
    <Group
      gap={8}
      wrap="nowrap"
      fz="xs"
      lh={1.55}
      c="dimmed"
      className={classes.live}
      data-state={state}
    >
      <span className={classes.dot} aria-hidden="true" />
      {words}
    </Group>
  )
}

interface ReadTimeProps {
  readonly atMs: number | null
  /** The last read failed; what is shown is older. */
  readonly hasFailed?: boolean
}

/** When a list was last read, and whether a later read failed; nothing before the first time. */
export function ReadTime({ atMs, hasFailed = false }: ReadTimeProps) {
  if (atMs === null) return null
  return (
    <Text
      component="span"
      fz="xs"
      c={hasFailed ? 'var(--mantine-color-error)' : 'dimmed'}
      role={hasFailed ? 'alert' : undefined}
    >
      {hasFailed && `${texts.readFailed} `}
      <span style={{ whiteSpace: 'nowrap' }}>{texts.readAt(formatTimeOfDay(atMs))}</span>
    </Text>
  )
}
