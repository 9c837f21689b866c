import { useState } from 'react'
import { exportAudit } from 'schema'
import { readFile } from '../../api/client.ts'
import { reportFailure } from '../../api/report-failure.tsx'
import { downloadBlob } from '../../components/download-text.ts'
import { createFileSink } from '../../components/file-sink.ts'
import type { AuditQuery } from './audit-filter.ts'
import * as texts from './texts.ts'

const TYPES = { csv: 'text/csv', jsonl: 'application/jsonl' } as const

/** Saves what the gateway exports. */
export function useAuditExport(query: AuditQuery) {
  const [isExporting, setExporting] = useState(false)

  async function save(format: keyof typeof TYPES): Promise<void> {
    setExporting(true)
    const sink = await createFileSink()
    try {
      const input = { query: { ...query, format } }
      const take = (piece: Uint8Array<ArrayBuffer>) => sink.write(piece)
      const isWhole = await readFile(exportAudit, input, take, new AbortController().signal)
      const day = new Date().toISOString().slice(0, 10)
      if (isWhole) downloadBlob(`audit-${day}.${format}`, await sink.finish(TYPES[format]))
      else await sink.discard()
    } catch (error) {
      await sink.discard()
      reportFailure(error, { fallback: texts.exportFailed })
    } finally {
      setExporting(false)
    }
  }

  return { isExporting, save }
}
