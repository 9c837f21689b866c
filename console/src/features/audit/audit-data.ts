import { useState } from 'react'
import { AUDIT_LIMIT, exportAudit, listAudit, type ResponseOf } from 'schema'
import { call, readFile, SESSION_ENDED } from '../../api/client.ts'
import { reportFailure } from '../../api/failures.tsx'
import { useQuery } from '../../api/queries.tsx'
import { createFileSink, downloadBlob } from '../../components/files.ts'
import { type AuditFilter, hasChanged, toAuditQuery } from './audit-filter.ts'
import * as texts from './texts.ts'

type Page = ResponseOf<typeof listAudit>

/** The entries that pass a filter, newest first, and how to read the older ones. */
export function useAuditEntries(filter: AuditFilter) {
  const query = { ...toAuditQuery(filter), limit: AUDIT_LIMIT }
  const first = useQuery(listAudit, { query })
  /** The pages after the first one, with the first one that they follow. */
  const [older, setOlder] = useState<readonly Page[]>([])
  const [of, setOf] = useState(first.data)
  const [isReadingOlder, setReadingOlder] = useState(false)
  if (of !== first.data) {
    setOf(first.data)
    setOlder([])
  }
  const pages = first.data === undefined ? [] : [first.data, ...older]
  const cursor = pages.at(-1)?.nextCursor ?? null

  async function readOlder(): Promise<void> {
    if (cursor === null) return
    setReadingOlder(true)
    try {
      const page = await call(listAudit, { query: { ...query, cursor } })
      if (page !== SESSION_ENDED) setOlder((before) => [...before, page])
    } catch (error) {
      reportFailure(error)
    } finally {
      setReadingOlder(false)
    }
  }
  const entries = pages.flatMap((page) => page.entries).filter(hasChanged(filter.field))
  return { first, entries, hasOlder: cursor !== null, isReadingOlder, readOlder }
}

const FILES = {
  csv: { type: 'text/csv', ending: 'csv' },
  jsonl: { type: 'application/jsonl', ending: 'jsonl' },
  signed: { type: 'application/jsonl', ending: 'signed.jsonl' },
} as const
export type FileFormat = keyof typeof FILES

/** Saves what the gateway exports. */
export function useAuditExport(filter: AuditFilter) {
  const [isExporting, setExporting] = useState(false)

  async function save(format: FileFormat): Promise<void> {
    setExporting(true)
    const sink = await createFileSink()
    try {
      const { from, to, ...names } = toAuditQuery(filter)
      // A signed bundle has every entry of its time, or it could prove nothing.
      const query = format === 'signed' ? { from, to, format } : { from, to, ...names, format }
      const take = (piece: Uint8Array<ArrayBuffer>) => sink.write(piece)
      const isWhole = await readFile(exportAudit, { query }, take, new AbortController().signal)
      const day = new Date().toISOString().slice(0, 10)
      const { type, ending } = FILES[format]
      if (isWhole) downloadBlob(`audit-${day}.${ending}`, await sink.finish(type))
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
