import { Button, Group, Text } from '@mantine/core'
import { useRef, useState } from 'react'
import { EXCHANGE_NAMES, EXCHANGES } from 'schema'
import { Coloured } from '../../components/code-block.tsx'
import { CopyButton } from '../../components/copy.tsx'
import { formatCount, formatTimeOfDay } from '../../components/format.ts'
import { formatJson } from '../../components/format-json.ts'
import { EmptyNote } from '../../components/page.tsx'
import { type Sign, StateSign, Tag, type TagColour } from '../../components/signs.tsx'
import { useNow } from '../../components/timers.ts'
import classes from './docs.module.css'
import type { StreamRow } from './stream-lines.ts'
import * as allTexts from './texts.ts'
import type { Connection, useStream } from './use-stream.ts'

const texts = allTexts.stream

interface StreamListProps {
  readonly stream: ReturnType<typeof useStream>
}

/** The state of a stream, and its events: the newest first. */
export function StreamList({ stream }: StreamListProps) {
  const { connection, count, clear, lastId } = stream
  const list = useHeldRows(stream)
  const { rows, newer, isPaused } = list
  return (
    <section className={classes.events} aria-label={texts.events}>
      <ConnectionLine connection={connection} lastId={lastId} />
      <Group gap="xs" className={classes.eventsBar ?? ''}>
        <Text fz="xs" c="dimmed" flex={1} miw={120}>
          {count > 0 && texts.counted(formatCount(rows.length), formatCount(count - newer))}
        </Text>
        {newer > 0 && (
          <Button size="compact-xs" onClick={list.show}>
            {texts.newer(formatCount(newer))}
          </Button>
        )}
        <Button size="compact-xs" variant="default" aria-pressed={isPaused} onClick={list.pause}>
          {isPaused ? texts.goOn : texts.pause}
        </Button>
        <Button
          size="compact-xs"
          variant="default"
          disabled={count === 0}
          onClick={() => {
            clear()
            list.show()
          }}
        >
          {texts.clear}
        </Button>
      </Group>
      {rows.length === 0 ? (
        <EmptyNote
          icon="activity"
          title={texts.none}
          hint={connection.state === 'open' ? texts.waitingHint : texts.noneHint}
        />
      ) : (
        <div
          role="log"
          // Of hundreds in a minute nobody hears the first to its end: a sentence sums them up.
          aria-live="off"
          aria-label={texts.events}
          className={classes.eventList}
          {...list.events}
        >
          <ol>
            {rows.map((row) => (
              <EventRow key={row.key} row={row} />
            ))}
          </ol>
        </div>
      )}
    </section>
  )
}

/**
 * The events, which wait while the list is paused, and while the pointer or the keyboard is among
 * them: what somebody opens must not move away.
 */
function useHeldRows({ rows, count }: StreamListProps['stream']) {
  const [isPaused, setPaused] = useState(false)
  const [isInside, setInside] = useState(false)
  const kept = useRef({ rows, count })
  // Cleared, or nobody holds it.
  if (!(isPaused || isInside) || count < kept.current.count) kept.current = { rows, count }
  return {
    rows: kept.current.rows,
    newer: count - kept.current.count,
    isPaused,
    pause: () => setPaused(!isPaused),
    show: () => {
      setPaused(false)
      setInside(false)
    },
    events: {
      onPointerEnter: (event: { pointerType: string }) => setInside(event.pointerType === 'mouse'),
      onPointerLeave: () => setInside(false),
      onFocus: () => setInside(true),
      onBlur: () => setInside(false),
    },
  }
}

const COLOURS: Readonly<Record<string, TagColour>> = {
  order: 'blue',
  fill: 'green',
  state: 'yellow',
  reset: 'red',
}

/** One event in a line, and as it came when it is opened. */
function EventRow({ row }: { readonly row: StreamRow }) {
  const { type, exchange, market, atMs, summary, json } = row
  const [isOpen, setOpen] = useState(false)
  const code = EXCHANGES.find((each) => each === exchange)
  const place = [code === undefined ? exchange : EXCHANGE_NAMES[code], market]
  return (
    <li>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <span className={classes.eventTime}>{formatTimeOfDay(atMs)}</span>
          <Tag colour={COLOURS[type] ?? 'gray'}>{type}</Tag>
          <span className={classes.eventPlace}>{place.filter(Boolean).join(' ')}</span>
          <span className={classes.eventSummary}>{summary}</span>
        </summary>
        {isOpen && (
          <div className={classes.eventJson}>
            <CopyButton value={json} label={type} />
            <pre>
              <Coloured code={formatJson(json)} language="json" />
            </pre>
          </div>
        )}
      </details>
    </li>
  )
}

const SIGNS: Readonly<Record<Connection['state'], Sign>> = {
  idle: 'off',
  connecting: 'waiting',
  open: 'good',
  waiting: 'waiting',
  ended: 'bad',
}

/** How the connection is, since when, and what comes next. */
function ConnectionLine({
  connection,
  lastId,
}: {
  readonly connection: Connection
  readonly lastId: string
}) {
  const { state } = connection
  const nowMs = useNow(state === 'waiting')
  const { states } = texts
  const isResumed = connection.state === 'open' && connection.isResumed
  return (
    <div className={classes.connection} data-state={state}>
      <Group gap={8} wrap="nowrap" fz="sm" fw={600} role="status">
        {state !== 'idle' && <StateSign sign={SIGNS[state]} />}
        <span>{isResumed ? states.resumed : states[state]}</span>
      </Group>
      <div className={classes.dim}>
        {connection.state === 'open' && texts.since(formatTimeOfDay(connection.sinceMs))}
        {connection.state === 'waiting' && (
          <>
            <span>{`${connection.why}. `}</span>
            <span>{texts.again(Math.max(0, Math.ceil((connection.untilMs - nowMs) / 1000)))}</span>
          </>
        )}
        {connection.state === 'ended' && (
          <span role="alert">{connection.isExpired ? texts.expired : connection.why}</span>
        )}
      </div>
      {lastId !== '' && (
        <div className={classes.dim}>
          {`${texts.lastId} `}
          <code>{lastId}</code>
        </div>
      )}
    </div>
  )
}
