import { resolve } from 'node:path'
import { type Salvaged, salvage } from 'gateway/operations/salvage.ts'
import type { LostOrder, SalvagedTable } from 'gateway/store/sqlite/salvage-database.ts'
import { command, counted, progressLine, runAsProcess, UsageError } from './cli.ts'

const USAGE = `Usage:
  npm run salvage -- --from DATABASE --to NEW

Reads every row of a damaged database that can still be read into the new file NEW, which must not exist. DATABASE and its
write-ahead log are only read. The gateway must be stopped. Says what was kept and what is lost, table by table.`

export const run = command({
  usage: USAGE,
  options: { from: { type: 'string' }, to: { type: 'string' } },
  async run({ from, to }, _positionals, { io, console }) {
    if (from === undefined || to === undefined) throw new UsageError()
    const { update, clear } = progressLine(io.err, () => performance.now())
    const made = salvage({
      ...{ from: resolve(from), to: resolve(to), nowMs: Date.now },
      onProgress: (done, pages) =>
        update(() => `${done} pages with rows read, of ${pages} pages of all kinds`),
    })
    const salvaged: Salvaged = await made.finally(clear)
    console.log(salvagedText(from, to, salvaged))
    return 0
  },
})

/** Of each list, the entries that are shown. */
const SHOWN = 20

/** What a salvage found, and what to do now. */
function salvagedText(from: string, to: string, salvaged: Salvaged): string {
  const { tables, audit, keyIds } = salvaged
  const width = Math.max(...tables.map(({ table }) => table.length))
  return [
    `Read ${from}, which was not changed. The new database is ${to}: ${Math.ceil(salvaged.bytes / 1024)} kB, verified.`,
    ...tables.flatMap((table) => tableLines(table, width)),
    ...noteLines(salvaged),
    audit.broken === undefined
      ? `The audit trail is whole: ${counted(audit.entries, 'entry', 'entries')}.`
      : `The audit trail breaks at entry ${audit.broken.id}: ${audit.broken.problem}. npm run doctor will say so from now on.`,
    ...orderLines(salvaged),
    '',
    'What to do now:',
    `  1. Keep ${from} and the files beside it, also when all goes well.`,
    '  2. Stop the bots.',
    `  3. npm run restore -- ${to} --replace${keyIds.length === 0 ? '' : `    (only the master key ${keyIds.join(' and ')} opens what is sealed)`}`,
    '  4. npm run doctor, then start the gateway. Both exchanges are stopped: it sends nothing.',
    '  5. Compare the open orders and the fills at the exchanges with the journal (console, page Orders).',
    '  6. A retry with the key of a lost order is looked up at the exchange before it is sent. Let no bot retry an order that is older than 6 days at MEXC, 29 at Bitget.',
    '  7. Resume the exchanges (console, page Operations), then start the bots.',
  ].join('\n')
}

function tableLines({ table, kept, lost, isExact, holes }: SalvagedTable, width: number): string[] {
  const line = `  ${table.padEnd(width)}  ${String(kept).padStart(9)} kept`
  if (holes.length === 0 || lost === 0) return [line]
  const amount = lost === undefined ? 'an unknown number' : `${isExact ? '' : 'at most '}${lost}`
  const lines = holes.slice(0, SHOWN).map(({ page, above, upTo }) => {
    const end = upTo === Number.MAX_SAFE_INTEGER ? 'the end' : `${upTo}`
    return `      rows ${above + 1} to ${end}: ${page === 0 ? 'where they begin is lost' : `page ${page} cannot be read`}`
  })
  const more = holes.length > SHOWN ? [`      and ${holes.length - SHOWN} more ranges`] : []
  return [`${line}, ${amount} lost`, ...lines, ...more]
}

function noteLines(salvaged: Salvaged): string[] {
  const { lostClients, orphans, unplacedPages, mayBeOld, wal, isVersionKnown } = salvaged
  const removed = Object.entries(orphans).map(([table, count]) => `${count} of ${table}`)
  const lostFrames = wal?.lostFrames ?? 0
  return [
    ...(lostClients.length === 0
      ? []
      : [
          `Clients that are lost: ${lostClients.join(', ')}. Each has a disabled entry, so that its orders stay known. Create them again.`,
        ]),
    ...(removed.length === 0
      ? []
      : [`Removed, because they refer to rows that are lost: ${removed.join(', ')}.`]),
    ...(unplacedPages.length === 0
      ? []
      : [
          `Not used, because their table is unknown: the pages ${unplacedPages.slice(0, SHOWN).join(', ')}${unplacedPages.length > SHOWN ? ' and more' : ''}.`,
        ]),
    ...(mayBeOld
      ? [
          'The list of free pages cannot be read. Some rows may have been deleted or changed since: check clients, tokens and people.',
        ]
      : []),
    ...(lostFrames === 0
      ? []
      : [
          `The write-ahead log is damaged: its last ${counted(lostFrames, 'page')} cannot be verified and were not used. What was written last is lost, orders too.`,
        ]),
    ...(isVersionKnown
      ? []
      : ['The version of the database is lost; it was read as one of this version.']),
  ]
}

function orderLines({ tables, lostOrders, inDoubt, wal }: Salvaged): string[] {
  const journal = tables.find(({ table }) => table === 'order_journal')
  const isWhole = journal?.lost === 0 && (wal?.lostFrames ?? 0) === 0
  const named = lostOrders.slice(0, SHOWN).map((order) => `  ${orderText(order)}`)
  return [
    ...(isWhole
      ? []
      : ['Orders are lost from the journal. Compare it with the orders at the exchange.']),
    ...named,
    ...(lostOrders.length > SHOWN ? [`  and ${lostOrders.length - SHOWN} more`] : []),
    ...(inDoubt === 0
      ? []
      : [
          `Queued in the database: ${counted(inDoubt, 'order')}, now of unknown outcome. The gateway looks them up once the exchanges are resumed.`,
        ]),
  ]
}

function orderText({ id, clientOrderId, orderId }: LostOrder): string {
  return [
    `request ${id ?? 'unknown'}`,
    ...(clientOrderId === undefined ? [] : [`client order id ${clientOrderId}`]),
    ...(orderId === undefined ? [] : [`exchange's order id ${orderId}`]),
  ].join(', ')
}

await runAsProcess(import.meta, run)
