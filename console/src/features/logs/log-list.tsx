import { Button } from '@mantine/core'
import { EmptyNote } from '../../components/empty-note.tsx'
import { useAddressParam } from '../../components/use-address-param.ts'
import type { LogFilter } from './filter-logs.ts'
import { LogDetail } from './log-detail.tsx'
import type { LogLine } from './log-line.ts'
import { LogTable } from './log-table.tsx'
import type { Zone } from './log-time.ts'
import type { LogSort } from './sort-logs.ts'
import { texts } from './texts.ts'
import { clearFilter, type LogFilterState } from './use-log-filter.ts'

interface LogListProps {
  /** After the filters. */
  readonly lines: readonly LogLine[]
  readonly zone: Zone
  readonly state: LogFilterState
  /** What `lines` were filtered by: `state` is ahead of it while somebody types. */
  readonly filter: LogFilter
  readonly sort: LogSort
  readonly onSort: (sort: LogSort) => void
}

/** The rows, or that there are none; and the entry that is open, whose key is in the address. */
export function LogList({ lines, zone, state, filter, sort, onSort }: LogListProps) {
  const [openKey, setOpenKey] = useAddressParam('entry')
  const openIndex = openKey === '' ? -1 : lines.findIndex(({ key }) => key === openKey)
  const show = (changes: Partial<LogFilter>) => {
    setOpenKey('')
    state.change(changes)
  }

  if (lines.length === 0) {
    return (
      <EmptyNote
        icon="search"
        title={texts.noMatch}
        action={
          <Button variant="default" mt="sm" onClick={() => clearFilter(state)}>
            {texts.clear}
          </Button>
        }
      />
    )
  }
  return (
    <>
      <LogTable
        lines={lines}
        zone={zone}
        filterKey={JSON.stringify([filter, sort])}
        sort={sort}
        onSort={onSort}
        onOpen={setOpenKey}
        onShow={state.change}
      />
      <LogDetail
        line={lines[openIndex] ?? null}
        onClose={() => setOpenKey('')}
        onStep={(step) => setOpenKey(lines[openIndex + step]?.key ?? openKey)}
        onShow={show}
      />
    </>
  )
}
