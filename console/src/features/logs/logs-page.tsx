import { Select, Stack } from '@mantine/core'
import { useDeferredValue, useMemo } from 'react'
import { LOG_LIMIT_MAX } from 'schema'
import { QueryView } from '../../api/query-view.tsx'
import { Card } from '../../components/card.tsx'
import { LiveSign } from '../../components/live-sign.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { DOTS } from '../../components/shorten.ts'
import { useAddressParam } from '../../components/use-address-param.ts'
import { filterLogs } from './filter-logs.ts'
import { LogCards } from './log-cards.tsx'
import { LogFiltersCard } from './log-filters-card.tsx'
import { toLogLines } from './log-line.ts'
import { LogList } from './log-list.tsx'
import { LogSkeleton } from './log-skeleton.tsx'
import { ZONES, type Zone, zoneName } from './log-time.ts'
import { texts } from './texts.ts'
import { useLogFilter } from './use-log-filter.ts'
import { LOGS_EVERY_MS, useLogs } from './use-logs.ts'

const zoneOptions = ZONES.map((zone) => ({ value: zone, label: texts.zone(zoneName(zone)) }))

export default function LogsPage() {
  const logs = useLogs()
  const filter = useLogFilter()
  const [zoneParam, setZone] = useAddressParam('tz')
  const zone: Zone = zoneParam === 'utc' ? 'utc' : 'local'

  const lines = useMemo(() => toLogLines(logs.data ?? []), [logs.data])
  const { search, status, method } = filter
  // Typing stays quick: the list follows when there is time.
  const wanted = useDeferredValue(
    useMemo(() => ({ search, status, method }), [search, status, method]),
  )
  const shown = useMemo(() => filterLogs(lines, wanted), [lines, wanted])

  return (
    <>
      <PageHeader
        title={texts.title}
        description={texts.description}
        actions={
          <LiveSign
            readAtMs={logs.readAtMs}
            hasFailed={logs.error !== undefined}
            everySeconds={LOGS_EVERY_MS / 1000}
          />
        }
      />
      <LogCards entries={logs.data} hasFailed={logs.error !== undefined} />
      <Stack gap="md">
        <LogFiltersCard
          filter={filter}
          lines={shown}
          zone={zone}
          onRefresh={logs.refresh}
          cutAt={lines.length >= LOG_LIMIT_MAX ? lines.length : undefined}
        />
        <Card
          title={texts.list}
          description={logs.data ? texts.showing(shown.length, lines.length) : DOTS}
          actions={
            <Select
              size="xs"
              aria-label={texts.zoneLabel}
              data={zoneOptions}
              value={zone}
              onChange={(next) => setZone(next === 'utc' ? 'utc' : '')}
              allowDeselect={false}
            />
          }
        >
          <QueryView query={logs} what="the request logs" loading={<LogSkeleton />}>
            {() => <LogList lines={shown} zone={zone} filter={filter} />}
          </QueryView>
        </Card>
      </Stack>
    </>
  )
}
