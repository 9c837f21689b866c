import { ActionIcon, Button, Paper, Skeleton, Stack } from '@mantine/core'
import { useDeferredValue, useEffect, useEffectEvent, useMemo, useState } from 'react'
import { QueryView } from '../../api/queries.tsx'
import { formatCount } from '../../components/format.ts'
import { Icon } from '../../components/icons.tsx'
import { PageHeader } from '../../components/page.tsx'
import { DOTS } from '../../components/short-text.tsx'
import { LiveSign } from '../../components/signs.tsx'
import { useActions } from '../../components/use-actions.ts'
import { useAddressParam } from '../../components/use-address-param.ts'
import { LogBand } from './log-band.tsx'
import { LogChart, stepMsOf, useIsNarrow } from './log-chart.tsx'
import { countByTime, summariseLogs, toTimeCounts } from './log-counts.ts'
import {
  filterLogs,
  type LogFilter,
  type LogSort,
  NO_FILTER,
  useLogFilter,
  useLogSort,
  useZone,
} from './log-filter.ts'
import { foldRefusals, type LogLine, sortLogs, toLogLines, zoneName } from './log-lines.ts'
import { LogList } from './log-list.tsx'
import classes from './logs.module.css'
import * as texts from './texts.ts'
import { LOGS_EVERY_MS, type LogPart, useHeldBack, useLogs } from './use-logs.ts'

export default function LogsPage() {
  const [isPaused, setPaused] = useState(false)
  const [isScrolled, setScrolled] = useState(false)
  const [openKey] = useAddressParam('entry')
  const isReading = isScrolled || openKey !== ''
  const filter = useLogFilter()
  const stepMs = stepMsOf(useIsNarrow())
  const { query: logs, part, listKey } = useLogs(filter, { isPaused, isReading, stepMs })
  const zone = useZone()
  const sort = useLogSort()
  const { read, held, topCount, showNew, refresh } = useNewLines(logs, part, listKey, isReading)
  // Typing stays quick: the list follows when there is time.
  const wanted = useDeferredValue(filter)
  const { shown, counts } = useShown(held.shown, wanted, sort, stepMs, part)
  const { lines, fold } = useFolded(shown, sort, openKey)
  useFullScreen(lines.length, held.shown.length, part)
  const summary = useMemo(
    () => (part === undefined ? logs.data && summariseLogs(read) : part.summary),
    [part, logs.data, read],
  )
  return (
    <div className={classes.page} data-wide>
      <LogHeader logs={logs} isPaused={isPaused} onPause={setPaused} />
      <LogBand
        summary={summary}
        hasFailed={(logs.error ?? part?.histogram.error) !== undefined}
        lines={shown}
        query={part?.wanted}
        count={part === undefined || part.total.isMore ? undefined : part.total.count}
        zone={zone}
        onRefresh={refresh}
        chart={<LogChart {...{ logs, counts }} counting={part?.histogram} />}
      />
      <Paper
        component="section"
        withBorder
        px={14}
        py={8}
        className={classes.list ?? ''}
        aria-labelledby="log-list"
      >
        <ListCaption
          words={logs.data ? showing(shown.length, held.shown.length, part?.total) : DOTS}
          part={part}
          loaded={shown.length}
        />
        {/* What came while somebody read the list: announced when it appears. */}
        <div role="status" className={classes.fresh}>
          {held.newCount > 0 && (
            <Button
              size="compact-sm"
              radius="xl"
              top={44}
              leftSection={<Icon name="arrowUp" size={12} />}
              onClick={showNew}
            >
              {texts.newEntries(`${formatCount(held.newCount)}${part?.isApart ? '+' : ''}`)}
            </Button>
          )}
        </div>
        <QueryView query={logs} what={texts.what} loading={<LogSkeleton />}>
          {() => (
            <LogList
              lines={lines}
              loaded={held.shown}
              listKey={`${topCount} ${JSON.stringify(wanted)}`}
              onFold={fold}
              onScrolled={setScrolled}
              part={part}
            />
          )}
        </QueryView>
      </Paper>
    </div>
  )
}

type LogQuery = ReturnType<typeof useLogs>['query']

interface LogHeaderProps {
  readonly logs: LogQuery
  readonly isPaused: boolean
  readonly onPause: (isPaused: boolean) => void
}

/** The title, how new the list is, and the button that pauses it. */
function LogHeader({ logs, isPaused, onPause }: LogHeaderProps) {
  const label = isPaused ? texts.resume : texts.pause
  useActions(() => [{ label, does: texts.does.pause(isPaused), run: () => onPause(!isPaused) }])
  return (
    <PageHeader
      title={texts.title}
      description={texts.description}
      actions={
        <>
          <LiveSign of={logs} everyMs={LOGS_EVERY_MS} isPaused={isPaused} />
          <ActionIcon
            variant="default"
            size="lg"
            aria-label={label}
            title={label}
            onClick={() => onPause(!isPaused)}
          >
            <Icon name={isPaused ? 'play' : 'pause'} size={16} />
          </ActionIcon>
        </>
      }
    />
  )
}

// Ten rows while the first response is pending (console-checklist.md, 173).
const SKELETON_ROWS = Array.from({ length: 10 }, (_, row) => row)

/** Shown in place of the rows until the first response. */
function LogSkeleton() {
  return (
    <Stack gap={6} role="status" aria-label={texts.loading} data-testid="log-skeleton">
      {SKELETON_ROWS.map((row) => (
        <Skeleton key={row} height={32} />
      ))}
    </Stack>
  )
}

/** Holds new lines back while somebody reads. */
function useNewLines(
  logs: LogQuery,
  part: LogPart | undefined,
  listKey: string,
  isReading: boolean,
) {
  const read = useMemo(() => toLogLines(logs.data ?? []), [logs.data])
  const held = useHeldBack(read, listKey, isReading)
  const [topCount, setTopCount] = useState(0)
  const showNew = () => {
    part?.join()
    held.showNew()
    setTopCount(topCount + 1)
  }
  const refresh = async () => {
    await logs.refresh()
    held.showNew()
  }
  return { read, held, topCount, showNew, refresh }
}

/** The lines that pass the filters, in their order; and what there was over time. */
function useShown(
  lines: readonly LogLine[],
  wanted: LogFilter,
  sort: LogSort,
  stepMs: number,
  part: LogPart | undefined,
) {
  const anyTime = useMemo(() => filterLogs(lines, { ...wanted, span: '' }), [lines, wanted])
  const shown = useMemo(
    () => sortLogs(filterLogs(anyTime, { ...NO_FILTER, span: wanted.span }), sort),
    [anyTime, wanted.span, sort],
  )
  const { data } = part?.histogram ?? {}
  const isWhole = part === undefined
  const counts = useMemo(() => {
    if (isWhole) return countByTime(anyTime, stepMs)
    return toTimeCounts(data?.steps ?? [], data?.stepMs ?? stepMs, Date.now())
  }, [isWhole, data, anyTime, stepMs])
  return { shown, counts }
}

/** The lines with refusals that are alike as one, while the newest are first. */
function useFolded(shown: readonly LogLine[], { by, isDescending }: LogSort, openKey: string) {
  const [openKinds, setOpenKinds] = useState<ReadonlySet<string>>(new Set())
  const isFolded = by === 'time' && isDescending
  const lines = useMemo(
    () => (isFolded ? foldRefusals(shown, (kind) => openKinds.has(kind), openKey) : shown),
    [shown, isFolded, openKinds, openKey],
  )
  const fold = (kind: string) => {
    const others = [...openKinds].filter((each) => each !== kind)
    setOpenKinds(new Set(openKinds.has(kind) ? others : [...others, kind]))
  }
  return { lines, fold }
}

const SCREEN_LINES = 40
/** More of a flood is loaded on demand. */
const FLOOD_MAX = 5_000

/** Where a flood of refusals became a few lines, what follows fills the screen. */
function useFullScreen(lines: number, loaded: number, part: LogPart | undefined): void {
  const isShort = lines < SCREEN_LINES && lines < loaded && loaded < FLOOD_MAX
  const load = useEffectEvent(() => part?.loadOlder?.())
  useEffect(() => {
    if (isShort && part?.isLoading === false) load()
  }, [isShort, part?.isLoading])
}

function showing(shown: number, all: number, total: LogPart['total'] | undefined): string {
  return total === undefined
    ? texts.showing(shown, all)
    : texts.showing(shown, Math.max(shown, total.count), total.isMore)
}

interface ListCaptionProps {
  /** How many are shown. */
  readonly words: string
  readonly part: LogPart | undefined
  readonly loaded: number
}

/** The name of the list, what does not hold for all entries that match, and what loads more. */
function ListCaption({ words, part, loaded }: ListCaptionProps) {
  const sort = useLogSort()
  const notes = [
    words,
    texts.zone(zoneName(useZone())),
    part?.histogram.data?.isFiltered === false && texts.chartOfAll,
    part?.loadOlder !== undefined && sort.by !== 'time' && texts.ofLoaded(formatCount(loaded)),
  ].filter((note) => note !== false)
  return (
    <header className={classes.caption}>
      <h2 id="log-list">{texts.list}</h2>
      {notes.map((note) => (
        <span key={note}>{note}</span>
      ))}
      {part?.loadOlder !== undefined && (
        <Button
          variant="subtle"
          size="compact-xs"
          onClick={part.loadOlder}
          disabled={part.isLoading}
        >
          {texts.loadMore}
        </Button>
      )}
    </header>
  )
}
