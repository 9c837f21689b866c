import { useState } from 'react'
import { exportLogs } from 'schema'
import { FILES, saveExport } from '../../api/export-file.ts'
import { reportFailure } from '../../api/failures.tsx'
import { downloadText } from '../../components/files.ts'
import { toast } from '../../components/toast.tsx'
import { exportFileName, writeLogsCsv, writeLogsJsonLines } from './export-logs.ts'
import type { LogQuery, Zone } from './log-filter.ts'
import { type LogLine, zoneName } from './log-lines.ts'
import * as texts from './texts.ts'

/** How much of an export has arrived. */
export interface ExportProgress {
  readonly rows: number
  readonly bytes: number
  readonly cancel: () => void
}

export interface Exported {
  /** What is shown. */
  readonly lines: readonly LogLine[]
  /** What the gateway exports, when not all entries are loaded. */
  readonly query: LogQuery | undefined
  readonly zone: Zone
}

const WRITE = { csv: writeLogsCsv, jsonl: writeLogsJsonLines } as const
type Format = keyof typeof WRITE

/** How often the progress is shown. */
const SHOWN_EVERY_MS = 200
const LINE_END = 10

/**
 * Hands out what passes the filters as a file: the entries that are there, without a call of the
 * gateway; of a longer log, what the gateway sends.
 */
export function useExport({ lines, query, zone }: Exported) {
  const [isWriting, setWriting] = useState(false)
  const [progress, setProgress] = useState<ExportProgress>()

  async function start(format: Format): Promise<void> {
    const fileName = exportFileName(Date.now(), zone, format)
    setWriting(true)
    try {
      if (query === undefined)
        downloadText(fileName, await WRITE[format](lines, zone), FILES[format].type)
      else await save(format, query, fileName)
    } catch (error) {
      reportFailure(error, { fallback: texts.exportFailed })
    } finally {
      setWriting(false)
      setProgress(undefined)
    }
    if (lines.length > 0) return
    toast({ title: texts.emptyExport, message: texts.emptyFile[format], tone: 'info' })
  }

  /** Saves what the gateway exports, and shows how far it is. */
  function save(format: Format, filter: LogQuery, fileName: string): Promise<void> {
    const abort = new AbortController()
    const cancel = () => abort.abort()
    // The head of a CSV file is no entry.
    let rows = format === 'csv' ? -1 : 0
    let bytes = 0
    let shownAt = 0
    setProgress({ rows: 0, bytes, cancel })
    const onPiece = (piece: Uint8Array) => {
      bytes += piece.length
      rows += countLines(piece)
      if (performance.now() - shownAt < SHOWN_EVERY_MS) return
      shownAt = performance.now()
      setProgress({ rows: Math.max(0, rows), bytes, cancel })
    }
    const exported = { ...filter, format, timeZone: zoneName(zone) }
    return saveExport(exportLogs, exported, fileName, { onPiece, signal: abort.signal })
  }

  return { isWriting, progress, start: (format: Format) => void start(format) }
}

function countLines(piece: Uint8Array): number {
  let count = 0
  for (let at = piece.indexOf(LINE_END); at >= 0; at = piece.indexOf(LINE_END, at + 1)) count += 1
  return count
}
