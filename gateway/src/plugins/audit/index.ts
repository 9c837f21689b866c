import { Readable } from 'node:stream'
import compress from '@fastify/compress'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  AUDIT_LIMIT,
  type AuditEntry,
  exportAudit,
  getAuditKey,
  listAudit,
  type QueryOf,
} from 'schema'
import type { Parts } from '../../app/create-parts.ts'
import { hangUpSignal } from '../../http/request-context.ts'
import { authorOf } from '../../http/request-origin.ts'
import { routeOf, textRouteOf } from '../../http/route.ts'
import { toCell } from '../../http/shown-text.ts'
import type { AuditRow } from '../../store/audit-chain.ts'
import type { AuditFilter, AuditStore } from '../../store/audit-store.ts'
import { auditSigner, beginSignedBundle } from './signed-bundle.ts'

type Format = NonNullable<QueryOf<typeof exportAudit>['format']>

const JSON_LINES = 'application/jsonl; charset=utf-8'
const FILES: Record<Format, { readonly type: string; readonly ending: string }> = {
  csv: { type: 'text/csv; charset=utf-8; header=present', ending: 'csv' },
  jsonl: { type: JSON_LINES, ending: 'jsonl' },
  signed: { type: JSON_LINES, ending: 'signed.jsonl' },
}

/** Shows the audit trail, page by page and as a file. */
export const audit: FastifyPluginAsyncTypebox<Pick<Parts, 'stores' | 'nowMs' | 'vault'>> = async (
  app,
  { stores, nowMs, vault },
) => {
  await app.register(compress, { global: false, encodings: ['gzip'] })

  app.route({
    ...routeOf(listAudit),
    compress: { threshold: 1024 },
    handler: async ({ query }, reply) => {
      const { limit = AUDIT_LIMIT, cursor, ...filter } = query
      // One more than asked for tells whether there is a next page.
      const wanted = { ...toFilter(filter), limit: limit + 1, beforeId: cursor }
      const rows = await stores.audit.page(wanted, hangUpSignal(reply))
      const entries = rows.slice(0, limit).map(toAuditEntry)
      const nextCursor = rows.length > limit ? (entries.at(-1)?.id ?? null) : null
      return { entries, nextCursor }
    },
  })

  app.route({
    ...textRouteOf(exportAudit),
    compress: { customTypes: /^(?:text\/csv|application\/jsonl)/ },
    handler: async (request, reply) => {
      const { format = 'csv', ...filter } = request.query
      const signal = hangUpSignal(reply)
      const author = authorOf(request, nowMs())
      const lines =
        format === 'signed'
          ? await beginSignedBundle({ stores, vault }, filter, author, signal)
          : linesOf(stores.audit, toFilter(filter), format, signal)
      const { type, ending } = FILES[format]
      const date = new Date(author.atMs).toISOString().slice(0, 10)
      return reply
        .header('content-disposition', `attachment; filename="audit-${date}.${ending}"`)
        .header('cache-control', 'no-store')
        .type(type)
        .send(Readable.from(lines))
    },
  })

  app.route({
    ...routeOf(getAuditKey),
    handler: async () => {
      const { key, trail } = await auditSigner({ stores, vault })
      return { key, trail }
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
  audit: Pick<AuditStore, 'all'>,
  filter: AuditFilter,
  format: Exclude<Format, 'signed'>,
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

/** An entry as it is shown. */
function toAuditEntry({ atMs, before, after, ...row }: AuditRow): AuditEntry {
  return {
    ...row,
    at: new Date(atMs).toISOString(),
    before: before === null ? null : JSON.parse(before),
    after: after === null ? null : JSON.parse(after),
  }
}

const HEADER =
  'Id,Time,Actor,Kind,Address,Action,Subject kind,Subject,Before,After,Session,Request id,Hash'
/** Without the byte order mark, spreadsheets read the file in the system's old character set. */
const AUDIT_CSV_HEAD = `\ufeff${HEADER}\r\n`

/** A line of the file (RFC 4180). */
export function toAuditCsvLine(row: AuditRow): string {
  const cells = [
    ...[`${row.id}`, new Date(row.atMs).toISOString(), row.actor, row.actorKind, row.address],
    ...[row.action, row.subjectKind, row.subject, row.before, row.after],
    ...[row.session, row.requestId, row.hash],
  ]
  return `${cells.map((cell) => toCell(cell ?? '')).join(',')}\r\n`
}
