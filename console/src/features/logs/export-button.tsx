import { Button } from '@mantine/core'
import { useState } from 'react'
import { downloadText } from '../../components/download-text.ts'
import { Icon } from '../../components/icons.tsx'
import { toast } from '../../components/toast.tsx'
import type { LogLine } from './log-line.ts'
import type { Zone } from './log-time.ts'
import { csvFileName, writeLogsCsv } from './logs-csv.ts'
import { texts } from './texts.ts'

interface ExportButtonProps {
  readonly lines: readonly LogLine[]
  readonly zone: Zone
}

/** Hands out the shown entries as a CSV file, without asking the gateway. */
export function ExportButton({ lines, zone }: ExportButtonProps) {
  const [isWriting, setWriting] = useState(false)
  const save = async () => {
    setWriting(true)
    downloadText(csvFileName(Date.now(), zone), await writeLogsCsv(lines, zone), 'text/csv')
    setWriting(false)
    if (lines.length === 0) toast({ ...texts.emptyExport, tone: 'info' })
  }
  return (
    <Button
      variant="default"
      leftSection={<Icon name="download" size={16} />}
      onClick={() => void save()}
      disabled={isWriting}
    >
      {texts.exportCsv}
    </Button>
  )
}
