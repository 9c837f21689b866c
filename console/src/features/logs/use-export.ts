import { useState } from 'react'
import { exportLogs } from 'schema'
import { readFile } from '../../api/client.ts'
import { reportFailure } from '../../api/report-failure.tsx'
import { downloadBlob } from '../../components/download-text.ts'
import { createFileSink } from '../../components/file-sink.ts'
import type { LogQuery } from './log-query.ts'
import { type Zone, zoneName } from './log-time.ts'
import * as texts from './texts.ts'

/** How much of an export has arrived. */
export interface ExportProgress {
  readonly rows: number
  readonly bytes: number
  readonly cancel: () => void
}

export interface ExportRequest {
  readonly format: 'csv' | 'jsonl'
  readonly query: LogQuery
  readonly zone: Zone
  readonly fileName: string
}

/** How often the progress is shown. */
const SHOWN_EVERY_MS = 200
const LINE_END = 10

/** Saves what the gateway exports. Undefined progress: nothing is exported. */
export function useExport() {
  const [progress, setProgress] = useState<ExportProgress>()

  async function save({ format, query, zone, fileName }: ExportRequest): Promise<void> {
    const abort = new AbortController()
    const cancel = () => abort.abort()
    // The head of a CSV file is no entry.
    let rows = format === 'csv' ? -1 : 0
    let bytes = 0
    let shownAt = 0
    setProgress({ rows: 0, bytes, cancel })
    const sink = await createFileSink()
    const take = async (piece: Uint8Array<ArrayBuffer>) => {
      await sink.write(piece)
      bytes += piece.length
      rows += countLines(piece)
      if (performance.now() - shownAt < SHOWN_EVERY_MS) return
      shownAt = performance.now()
      setProgress({ rows: Math.max(0, rows), bytes, cancel })
    }
    try {
      const input = { query: { ...query, format, timeZone: zoneName(zone) } }
      const isWhole = await readFile(exportLogs, input, take, abort.signal)
      if (isWhole) downloadBlob(fileName, await sink.finish(TYPES[format]))
      else await sink.discard()
    } catch (error) {
      await sink.discard()
      if (!abort.signal.aborted) reportFailure(error, { fallback: texts.exportFailed })
    } finally {
      setProgress(undefined)
    }
  }

  return { progress, save }
}

const TYPES = { csv: 'text/csv', jsonl: 'application/jsonl' } as const

function countLines(piece: Uint8Array): number {
  let count = 0
  for (let at = piece.indexOf(LINE_END); at >= 0; at = piece.indexOf(LINE_END, at + 1)) count += 1
  return count
}
