import { Readable } from 'node:stream'
import compress from '@fastify/compress'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { AUDIT_LIMIT, exportAudit, listAudit, type QueryOf } from 'schema'
import { hangUpSignal } from '../../http/request-context.ts'
import { routeOf, textRouteOf } from '../../http/route.ts'
import type { AuditFilter, AuditStore } from '../../store/audit-store.ts'
import { AUDIT_CSV_HEAD, toAuditCsvLine, toAuditEntry } from './audit-entry.ts'

export interface AuditOptions {
  readonly audit: Pick<AuditStore, 'page' | 'all'>
  readonly nowMs: () => number
}

type Format = NonNullable<QueryOf<typeof exportAudit>['format']>

const TYPES: Record<Format, string> = {
  csv: 'text/csv; charset=utf-8; header=present',
  jsonl: 'application/jsonl; charset=utf-8',
}

/** Shows the audit trail, page by page and as a file. */
export const audit: FastifyPluginAsyncTypebox<AuditOptions> = async (app, { audit, nowMs }) => {
  await app.register(compress, { global: false, encodings: ['gzip'] })

  app.route({
    ...routeOf(listAudit),
    compress: { threshold: 1024 },
    handler: async ({ query }, reply) => {
      const { limit = AUDIT_LIMIT, cursor, ...filter } = query
      // One more than asked for tells whether there is a next page.
      const wanted = { ...toFilter(filter), limit: limit + 1, beforeId: cursor }
      const rows = await audit.page(wanted, hangUpSignal(reply))
      const entries = rows.slice(0, limit).map(toAuditEntry)
      const nextCursor = rows.length > limit ? (entries.at(-1)?.id ?? null) : null
      return { entries, nextCursor }
    },
  })

  app.route({
    ...textRouteOf(exportAudit),
    compress: { customTypes: /^(?:text\/csv|application\/jsonl)/ },
    handler: async ({ query }, reply) => {
      const { format = 'csv', ...filter } = query
      const date = new Date(nowMs()).toISOString().slice(0, 10)
      const lines = linesOf(audit, toFilter(filter), format, hangUpSignal(reply))
      return reply
        .header('content-disposition', `attachment; filename="audit-${date}.${format}"`)
        .header('cache-control', 'no-store')
        .type(TYPES[format])
        .send(Readable.from(lines))
    },
  })
}

function toFilter({
  from,
  to,
  ...names
}: Omit<QueryOf<typeof exportAudit>, 'format'>): AuditFilter {
  return { fromMs: from, toMs: to, ...names }
}

async function* linesOf(
  audit: AuditOptions['audit'],
  filter: AuditFilter,
  format: Format,
  signal: AbortSignal,
): AsyncGenerator<string, void> {
  if (format === 'csv') yield AUDIT_CSV_HEAD
  for await (const rows of audit.all(filter, signal))
    yield rows
      .map((row) =>
        format === 'csv' ? toAuditCsvLine(row) : `${JSON.stringify(toAuditEntry(row))}\n`,
      )
      .join('')
}
