import { Button } from '@mantine/core'
import { useState } from 'react'
import { downloadText } from '../../components/download-text.ts'
import { Icon } from '../../components/icons.tsx'
import { toast } from '../../components/toast.tsx'
import { exportFileName, writeLogsJsonLines } from './export-logs.ts'
import type { LogLine } from './log-line.ts'
import type { Zone } from './log-time.ts'
import { writeLogsCsv } from './logs-csv.ts'
import { texts } from './texts.ts'

interface ExportButtonsProps {
  readonly lines: readonly LogLine[]
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

/** Hand out the shown entries as a file, without asking the gateway. */
export function ExportButtons({ lines, zone }: ExportButtonsProps) {
  const [isWriting, setWriting] = useState(false)
  const save = async (format: keyof typeof FORMATS) => {
    const { write, type, empty } = FORMATS[format]
    setWriting(true)
    downloadText(exportFileName(Date.now(), zone, format), await write(lines, zone), type)
    setWriting(false)
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
