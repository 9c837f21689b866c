import { Button } from '@mantine/core'
import { EmptyNote } from '../../components/empty-note.tsx'
import { useAddressParam } from '../../components/use-address-param.ts'
import { LogDetail } from './log-detail.tsx'
import type { LogLine } from './log-line.ts'
import { LogTable } from './log-table.tsx'
import type { Zone } from './log-time.ts'
import { texts } from './texts.ts'
import type { LogFilterState } from './use-log-filter.ts'

interface LogListProps {
  /** After the filters. */
  readonly lines: readonly LogLine[]
  readonly zone: Zone
  readonly filter: LogFilterState
}

/** The rows, or that there are none; and the entry that is open, whose key stands in the address. */
export function LogList({ lines, zone, filter }: LogListProps) {
  const [openKey, setOpenKey] = useAddressParam('entry')
  const openIndex = openKey === '' ? -1 : lines.findIndex(({ key }) => key === openKey)
  const searchFor = (text: string) => {
    setOpenKey('')
    filter.setSearch(text)
  }

  if (lines.length === 0) {
    return (
      <EmptyNote
        icon="search"
        title={texts.noMatch}
        action={
          <Button variant="default" mt="sm" onClick={filter.clear}>
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
        filterKey={JSON.stringify([filter.search, filter.status, filter.method])}
        onOpen={setOpenKey}
      />
      <LogDetail
        line={lines[openIndex] ?? null}
        onClose={() => setOpenKey('')}
        onStep={(step) => setOpenKey(lines[openIndex + step]?.key ?? openKey)}
        onSearch={searchFor}
      />
    </>
  )
}
