import { ActionIcon, Button, Select, Stack } from '@mantine/core'
import { useDeferredValue, useMemo, useState } from 'react'
import { QueryView } from '../../api/query-view.tsx'
import { Card } from '../../components/card.tsx'
import { Icon } from '../../components/icons.tsx'
import { LiveSign } from '../../components/live-sign.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { DOTS } from '../../components/shorten.ts'
import { readSort, writeSort } from '../../components/sort.ts'
import { useAddressParam } from '../../components/use-address-param.ts'
import { filterLogs, NO_FILTER } from './filter-logs.ts'
import { LoadOlderButton } from './load-older-button.tsx'
import { LogCards } from './log-cards.tsx'
import { LogFiltersCard } from './log-filters-card.tsx'
import { toLogLines } from './log-line.ts'
import { LogList } from './log-list.tsx'
import { toLogQuery } from './log-query.ts'
import { LogSkeleton } from './log-skeleton.tsx'
import { LogStrip } from './log-strip.tsx'
import { ZONES, type Zone, zoneName } from './log-time.ts'
import { LOG_SORTS, type LogSort, NEWEST_FIRST, SLOWEST_FIRST, sortLogs } from './sort-logs.ts'
import { texts } from './texts.ts'
import { useLogFilter } from './use-log-filter.ts'
import { LOGS_EVERY_MS, type LogPart, useLogs } from './use-logs.ts'

const zoneOptions = ZONES.map((zone) => ({ value: zone, label: texts.zone(zoneName(zone)) }))

export default function LogsPage() {
  const [isPaused, setPaused] = useState(false)
  const state = useLogFilter()
  const { query: logs, part } = useLogs(state.filter, isPaused)
  const [zoneParam, setZone] = useAddressParam('tz')
  const zone: Zone = zoneParam === 'utc' ? 'utc' : 'local'

  const lines = useMemo(() => toLogLines(logs.data ?? []), [logs.data])
  // Typing stays quick: the list follows when there is time.
  const wanted = useDeferredValue(state.filter)
  const anyTime = useMemo(() => filterLogs(lines, { ...wanted, span: '' }), [lines, wanted])
  const [sortParam, setSortParam] = useAddressParam('sort')
  const sort = readSort(sortParam, LOG_SORTS) ?? NEWEST_FIRST
  const { by, isDescending } = sort
  const shown = useMemo(
    () => sortLogs(filterLogs(anyTime, { ...NO_FILTER, span: wanted.span }), { by, isDescending }),
    [anyTime, wanted.span, by, isDescending],
  )
  const setSort = (next: LogSort) => {
    const text = writeSort(next)
    setSortParam(text === writeSort(NEWEST_FIRST) ? '' : text)
  }

  return (
    <>
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
              onClick={() => setPaused(!isPaused)}
            >
              <Icon name={isPaused ? 'play' : 'pause'} size={16} />
            </ActionIcon>
          </>
        }
      />
      <LogCards entries={logs.data} part={part} hasFailed={logs.error !== undefined} />
      <Stack gap="md">
        <LogFiltersCard
          state={state}
          lines={shown}
          zone={zone}
          onRefresh={logs.refresh}
          query={part && toLogQuery(state.filter)}
          cutAt={part && lines.length}
        />
        <Card
          title={texts.list}
          description={logs.data ? showing(shown.length, lines.length, part) : DOTS}
          actions={
            <>
              <Button
                variant="default"
                size="xs"
                aria-pressed={by === 'took' && isDescending}
                onClick={() =>
                  setSort(by === 'took' && isDescending ? NEWEST_FIRST : SLOWEST_FIRST)
                }
              >
                {texts.slowest}
              </Button>
              <Select
                size="xs"
                aria-label={texts.zoneLabel}
                data={zoneOptions}
                value={zone}
                onChange={(next) => setZone(next === 'utc' ? 'utc' : '')}
                allowDeselect={false}
              />
            </>
          }
        >
          <QueryView query={logs} what="the request logs" loading={<LogSkeleton />}>
            {() => (
              <>
                <LogStrip
                  lines={anyTime}
                  span={state.filter.span}
                  zone={zone}
                  onSpan={(span) => state.change({ span })}
                />
                <LogList
                  lines={shown}
                  zone={zone}
                  state={state}
                  filter={wanted}
                  sort={sort}
                  onSort={setSort}
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

/** Of a log that is not wholly loaded, `all` are those that the gateway says pass the filters. */
function showing(shown: number, all: number, part: LogPart | undefined): string {
  return part === undefined
    ? texts.showing(shown, all)
    : texts.showing(shown, Math.max(shown, part.total.count), part.total.isMore)
}
