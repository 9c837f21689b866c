import { Button, Group, Text } from '@mantine/core'
import { useState } from 'react'
import { reportFailure } from '../../api/report-failure.tsx'
import { downloadText } from '../../components/download-text.ts'
import { formatBytes, formatCount } from '../../components/format.ts'
import { Icon } from '../../components/icons.tsx'
import { toast } from '../../components/toast.tsx'
import { exportFileName, writeLogsJsonLines } from './export-logs.ts'
import type { LogLine } from './log-line.ts'
import type { LogQuery } from './log-query.ts'
import type { Zone } from './log-time.ts'
import { writeLogsCsv } from './logs-csv.ts'
import * as texts from './texts.ts'
import { type ExportProgress, useExport } from './use-export.ts'

interface ExportButtonsProps {
  readonly lines: readonly LogLine[]
  /** What the gateway exports, when not all entries are loaded. */
  readonly query: LogQuery | undefined
  /** How many entries that is, as far as it is known. */
  readonly count: number | undefined
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
export function ExportButtons({ lines, query, count, zone }: ExportButtonsProps) {
  const [isWriting, setWriting] = useState(false)
  const { progress, save } = useExport()
  const write = async (format: keyof typeof FORMATS) => {
    setWriting(true)
    try {
      const text = await FORMATS[format].write(lines, zone)
      downloadText(exportFileName(Date.now(), zone, format), text, FORMATS[format].type)
    } catch (error) {
      reportFailure(error, { fallback: texts.exportFailed })
    } finally {
      setWriting(false)
    }
  }
  const start = async (format: keyof typeof FORMATS) => {
    if (query === undefined) await write(format)
    else await save({ format, query, zone, fileName: exportFileName(Date.now(), zone, format) })
    if (lines.length > 0) return
    toast({ title: texts.emptyExport, message: FORMATS[format].empty, tone: 'info' })
  }
  if (progress !== undefined) return <Progress progress={progress} count={count} />
  return (['csv', 'jsonl'] as const).map((format) => (
    <Button
      key={format}
      variant="default"
      leftSection={<Icon name="download" size={16} />}
      onClick={() => void start(format)}
      disabled={isWriting}
    >
      {FORMATS[format].label}
    </Button>
  ))
}

interface ProgressProps {
  readonly progress: ExportProgress
  readonly count: number | undefined
}

function Progress({ progress: { rows, bytes, cancel }, count }: ProgressProps) {
  const all = count === undefined ? undefined : formatCount(count)
  return (
    <Group gap="sm">
      <div>
        <Text fz="xs">{texts.exported(formatCount(rows), all, formatBytes(bytes))}</Text>
        <progress
          aria-label={texts.exporting}
          max={count}
          value={count === undefined ? undefined : Math.min(rows, count)}
        />
      </div>
      <Button variant="default" onClick={cancel}>
        {texts.cancelExport}
      </Button>
    </Group>
  )
}
