import { Button } from '@mantine/core'
import { useState } from 'react'
import { exportLogs } from 'schema'
import { readFile } from '../../api/client.ts'
import { reportFailure } from '../../api/report-failure.tsx'
import { downloadBlob, downloadText } from '../../components/download-text.ts'
import { Icon } from '../../components/icons.tsx'
import { toast } from '../../components/toast.tsx'
import { exportFileName, writeLogsJsonLines } from './export-logs.ts'
import type { LogLine } from './log-line.ts'
import type { LogQuery } from './log-query.ts'
import { type Zone, zoneName } from './log-time.ts'
import { writeLogsCsv } from './logs-csv.ts'
import { texts } from './texts.ts'

interface ExportButtonsProps {
  readonly lines: readonly LogLine[]
  /** What the gateway exports, when not all entries are loaded. */
  readonly query: LogQuery | undefined
  readonly zone: Zone
}

const FORMATS = {
  csv: { label: texts.exportCsv, type: 'text/csv', write: writeLogsCsv, empty: texts.emptyCsv },
  jsonl: {
    label: texts.exportJsonLines,
    type: 'application/jsonl',
    write: writeLogsJsonLines,
    empty: texts.emptyJsonLines,
  },
} as const

/**
 * Hand out what passes the filters as a file: the entries that are there, without asking the
 * gateway; of a longer log, what the gateway sends.
 */
export function ExportButtons({ lines, query, zone }: ExportButtonsProps) {
  const [isWriting, setWriting] = useState(false)
  const save = async (format: keyof typeof FORMATS) => {
    const { write, type, empty } = FORMATS[format]
    const name = exportFileName(Date.now(), zone, format)
    setWriting(true)
    try {
      if (query === undefined) downloadText(name, await write(lines, zone), type)
      else {
        const timeZone = zoneName(zone)
        const file = await readFile(exportLogs, { query: { ...query, format, timeZone } })
        if (file !== null) downloadBlob(name, file)
      }
    } catch (error) {
      reportFailure(error, { fallback: texts.exportFailed })
    } finally {
      setWriting(false)
    }
    if (lines.length === 0) toast({ title: texts.emptyExport, message: empty, tone: 'info' })
  }
  return (['csv', 'jsonl'] as const).map((format) => (
    <Button
      key={format}
      variant="default"
      leftSection={<Icon name="download" size={16} />}
      onClick={() => void save(format)}
      disabled={isWriting}
    >
      {FORMATS[format].label}
    </Button>
  ))
}
