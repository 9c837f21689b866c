import { ActionIcon, Button, Select, Stack, Text } from '@mantine/core'
import { useDeferredValue, useMemo, useState } from 'react'
import { QueryView } from '../../api/query-view.tsx'
import { Card } from '../../components/card.tsx'
import { formatCount } from '../../components/format.ts'
import { Icon } from '../../components/icons.tsx'
import { LiveSign } from '../../components/live-sign.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { DOTS } from '../../components/shorten.ts'
import { readSort, writeSort } from '../../components/sort.ts'
import { useAddressParam } from '../../components/use-address-param.ts'
import { countByTime, sumOf, type TimeCounts, toTimeCounts } from './count-by-time.ts'
import { filterLogs, type LogFilter, NO_FILTER } from './filter-logs.ts'
import { LoadOlderButton } from './load-older-button.tsx'
import { LogCards } from './log-cards.tsx'
import { LogChart, useStepMs } from './log-chart.tsx'
import { LogFiltersCard } from './log-filters-card.tsx'
import { type LogLine, toLogLines } from './log-line.ts'
import { LogList } from './log-list.tsx'
import { LogSkeleton } from './log-skeleton.tsx'
import { ZONES, type Zone, zoneName } from './log-time.ts'
import { NewEntriesButton } from './new-entries-button.tsx'
import { LOG_SORTS, type LogSort, NEWEST_FIRST, SLOWEST_FIRST, sortLogs } from './sort-logs.ts'
import * as texts from './texts.ts'
import { useHeldBack } from './use-held-back.ts'
import { useLogFilter } from './use-log-filter.ts'
import { LOGS_EVERY_MS, type LogPart, useLogs } from './use-logs.ts'

const zoneOptions = ZONES.map((zone) => ({ value: zone, label: texts.zone(zoneName(zone)) }))

export default function LogsPage() {
  const [isPaused, setPaused] = useState(false)
  const [isScrolled, setScrolled] = useState(false)
  const [openKey, setOpenKey] = useAddressParam('entry')
  const isReading = isScrolled || openKey !== ''
  const state = useLogFilter()
  const stepMs = useStepMs()
  const { query: logs, part, listKey } = useLogs(state.filter, { isPaused, isReading, stepMs })
  const { zone, setZone } = useZone()
  const { sort, setSort } = useLogSort()

  const { held, topCount, showNew, refresh } = useNewLines(logs, part, listKey, isReading)
  // Typing stays quick: the list follows when there is time.
  const wanted = useDeferredValue(state.filter)
  const { shown, counts } = useShown(held.shown, wanted, sort, stepMs)
  const allCounts = useMemo(() => countsOf(part, counts, stepMs), [part, counts, stepMs])
  const total = totalOf(part, state.filter, allCounts)

  return (
    <>
      <LogHeader logs={logs} isPaused={isPaused} onPause={setPaused} />
      <LogCards entries={logs.data} part={part} hasFailed={logs.error !== undefined} />
      <Stack gap="md">
        <div data-screen-only>
          <LogFiltersCard
            state={state}
            lines={shown}
            zone={zone}
            onRefresh={refresh}
            query={part?.wanted}
            count={total?.isMore ? undefined : total?.count}
          />
        </div>
        <Card
          title={texts.list}
          description={logs.data ? showing(shown.length, held.shown.length, total) : DOTS}
          actions={<ListActions sort={sort} onSort={setSort} zone={zone} onZone={setZone} />}
        >
          <QueryView query={logs} what={texts.what} loading={<LogSkeleton />}>
            {() => (
              <>
                <LogChart
                  counts={allCounts}
                  counting={part?.histogramQuery}
                  span={state.filter.span}
                  zone={zone}
                  onSpan={(span) => state.change({ span })}
                />
                <ListNotes part={part} sort={sort} loaded={shown.length} />
                <NewEntriesButton
                  count={held.newCount}
                  isMore={part?.isApart === true}
                  onShow={showNew}
                />
                <LogList
                  lines={shown}
                  loaded={held.shown}
                  zone={zone}
                  state={state}
                  listKey={`${topCount} ${JSON.stringify(wanted)}`}
                  sort={sort}
                  onSort={setSort}
                  openKey={openKey}
                  onOpen={setOpenKey}
                  onScrolled={setScrolled}
                  onEnd={part?.isLoading || sort.by !== 'time' ? undefined : part?.loadOlder}
                />
                <LoadOlderButton part={part} />
              </>
            )}
          </QueryView>
        </Card>
      </Stack>
    </>
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
  return (
    <PageHeader
      title={texts.title}
      description={texts.description}
      actions={
        <>
          <LiveSign
            readAtMs={logs.readAtMs}
            hasFailed={logs.error !== undefined}
            everySeconds={LOGS_EVERY_MS / 1000}
            isPaused={isPaused}
          />
          <ActionIcon
            variant="default"
            size="lg"
            aria-label={isPaused ? texts.resume : texts.pause}
            title={isPaused ? texts.resume : texts.pause}
            onClick={() => onPause(!isPaused)}
          >
            <Icon name={isPaused ? 'play' : 'pause'} size={16} />
          </ActionIcon>
        </>
      }
    />
  )
}

/** How the list is sorted, as the address holds it. */
function useLogSort() {
  const [text, setText] = useAddressParam('sort')
  const { by, isDescending } = readSort(text, LOG_SORTS) ?? NEWEST_FIRST
  const sort = useMemo(() => ({ by, isDescending }), [by, isDescending])
  const setSort = (next: LogSort) => {
    const written = writeSort(next)
    setText(written === writeSort(NEWEST_FIRST) ? '' : written)
  }
  return { sort, setSort }
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
  return { held, topCount, showNew, refresh }
}

/** The time zone of the list, as the address holds it. */
function useZone() {
  const [param, setZone] = useAddressParam('tz')
  const zone: Zone = param === 'utc' ? 'utc' : 'local'
  return { zone, setZone }
}

/** The lines that pass the filters, in their order; and what there was over time. */
function useShown(lines: readonly LogLine[], wanted: LogFilter, sort: LogSort, stepMs: number) {
  const anyTime = useMemo(() => filterLogs(lines, { ...wanted, span: '' }), [lines, wanted])
  const shown = useMemo(
    () => sortLogs(filterLogs(anyTime, { ...NO_FILTER, span: wanted.span }), sort),
    [anyTime, wanted.span, sort],
  )
  const counts = useMemo(() => countByTime(anyTime, stepMs), [anyTime, stepMs])
  return { shown, counts }
}

/** Of a log that is not wholly loaded, the gateway counts. */
function countsOf(part: LogPart | undefined, counted: TimeCounts, stepMs: number): TimeCounts {
  if (part === undefined) return counted
  const { histogram } = part
  if (histogram === undefined) return toTimeCounts([], stepMs, Date.now())
  return toTimeCounts(histogram.steps, histogram.stepMs, Date.now())
}

/** How many entries pass the filters; undefined when all of them are loaded. */
function totalOf(part: LogPart | undefined, filter: LogFilter, counts: TimeCounts) {
  if (part === undefined || !part.total.isMore || filter.span !== '') return part?.total
  // The histogram counts further than the list.
  const count = part.histogram?.isFiltered ? sumOf(counts) : 0
  return count > part.total.count ? { count, isMore: false } : part.total
}

function showing(shown: number, all: number, total: LogPart['total'] | undefined): string {
  return total === undefined
    ? texts.showing(shown, all)
    : texts.showing(shown, Math.max(shown, total.count), total.isMore)
}

interface ListActionsProps {
  readonly sort: LogSort
  readonly onSort: (sort: LogSort) => void
  readonly zone: Zone
  readonly onZone: (zone: string) => void
}

function ListActions({ sort, onSort, zone, onZone }: ListActionsProps) {
  const isSlowestFirst = sort.by === 'took' && sort.isDescending
  return (
    <>
      <Button
        variant="default"
        size="xs"
        aria-pressed={isSlowestFirst}
        onClick={() => onSort(isSlowestFirst ? NEWEST_FIRST : SLOWEST_FIRST)}
      >
        {texts.slowest}
      </Button>
      <Select
        size="xs"
        aria-label={texts.zoneLabel}
        data={zoneOptions}
        value={zone}
        onChange={(next) => onZone(next === 'utc' ? 'utc' : '')}
        allowDeselect={false}
      />
    </>
  )
}

interface ListNotesProps {
  readonly part: LogPart | undefined
  readonly sort: LogSort
  readonly loaded: number
}

/** What does not hold for all entries that match. */
function ListNotes({ part, sort, loaded }: ListNotesProps) {
  const notes = [
    part?.histogram?.isFiltered === false && texts.chartOfAll,
    part?.loadOlder !== undefined && sort.by !== 'time' && texts.ofLoaded(formatCount(loaded)),
  ].filter((note) => typeof note === 'string')
  return notes.map((note) => (
    <Text key={note} fz="xs" c="dimmed" mb="xs">
      {note}
    </Text>
  ))
}
