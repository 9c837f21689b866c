import { bitget } from '../../src/exchanges/bitget/index.ts'
import {
  type CallRow,
  type CallTable,
  type ClosedGroup,
  KIND_PERMISSIONS,
  namesIn,
} from '../../src/exchanges/call-table.ts'
import { mexcFutures } from '../../src/exchanges/mexc-futures/index.ts'
import { mexcSpot } from '../../src/exchanges/mexc-spot/index.ts'

/** The folder of the documents, as the page sees it. */
const DOCS = '../'

const families = [
  { name: 'MEXC spot', prefix: '/mx', calls: mexcSpot.calls, below: '/api/v3/' },
  { name: 'MEXC futures', prefix: '/mx', calls: mexcFutures.calls, below: '/api/v1/' },
  { name: 'Bitget, classic accounts', prefix: '/bg', calls: bitget.calls, below: '/api/v2/' },
  { name: 'Bitget, unified accounts', prefix: '/bg', calls: bitget.calls, below: '/api/v3/' },
] as const

const exchanges = [
  { name: 'MEXC', prefix: '/mx', calls: mexcSpot.calls },
  { name: 'Bitget', prefix: '/bg', calls: bitget.calls },
] as const

/**
 * The page of what is open on the drop-in families, made of the tables that the gateway obeys.
 */
export function renderOpenCalls(): string {
  const open = families.map(({ name, prefix, calls, below }) => {
    const rows = joined(calls.rows.filter(([, , path]) => path.startsWith(below))).map(
      ([kind, method, path, names]) =>
        rowOf(`\`${KIND_PERMISSIONS[kind]}\``, method, `${prefix}${path}`, names),
    )
    const more = [...calls.facts]
      .filter(([call]) => call.includes(` ${below}`))
      .flatMap(([call, { byBody: rule }]) =>
        rule === undefined
          ? []
          : `\n\`${call.replace(' ', ` ${prefix}`)}\` needs \`${rule.kind}\` too ${rule.when}.\n`,
      )
    return `## ${name}\n\n| Permission | Method | Below | Calls |\n| --- | --- | --- | --- |\n${rows.join('\n')}\n${more.join('')}${keptReads(calls, prefix, below)}`
  })
  const closed = exchanges.map(
    ({ name, prefix, calls }) =>
      `## Closed on ${name}\n\n| Reason | Method | Below | Calls |\n| --- | --- | --- | --- |\n${closedRows(calls, prefix)}\n`,
  )
  return [HEAD, ...open, CLOSED, ...closed].join('\n')
}

/** The reads whose responses are kept, by how long. */
function keptReads({ rows }: CallTable, prefix: string, below: string): string {
  const kept = rows.flatMap(([, , path, name, { keepSeconds, needsKey } = {}]) => {
    if (keepSeconds === undefined || !path.startsWith(below)) return []
    const by = needsKey === true ? ' (for the clients with the same keys)' : ''
    return { minutes: keepSeconds / 60, call: `\`${prefix}${path}${name}\`${by}` }
  })
  return [...Map.groupBy(kept, ({ minutes }) => minutes)]
    .map(
      ([minutes, of]) => `\nKept ${minutes} minutes: ${of.map(({ call }) => call).join(', ')}.\n`,
    )
    .join('')
}

/** Rows with one call each, as one row where nothing but the name differs. */
function joined(rows: readonly CallRow[]): CallRow[] {
  const groups = Map.groupBy(rows, ([kind, method, below]) => `${kind} ${method} ${below}`)
  return [...groups.values()].flatMap(([first, ...others]) => {
    if (first === undefined) return []
    const [kind, method, below, names] = first
    return [[kind, method, below, [names, ...others.map((row) => row[3])].join(' ')] as const]
  })
}

const HEAD = `# Every call that is open

For authors of bots and for those who review what is open: what a bot may call below \`/mx\` and \`/bg\`, and the permission that it needs, each call by its name. \`{…}\` in a name is one
part of the path. The gateway rejects everything else with 403 \`ENDPOINT_FORBIDDEN\` and sends nothing. This page is generated
from the table that the gateway enforces (\`npm run exchange-diff -- --page\`). Below each table are the reads whose responses are
[kept](${DOCS}lane.md#kept-responses).
`

const CLOSED = `# What is closed on purpose

Nobody may make these calls; the error says why. A call that is in neither list is closed too: nobody has decided about it yet.
\`npm run exchange-diff\` lists the calls that the installed SDKs know and that are in neither list.
`

function closedRows({ closed }: CallTable, prefix: string): string {
  const rows = closed.flatMap(({ reason, calls }: ClosedGroup) =>
    calls.map(([method, path, names]) =>
      rowOf(reason, method === '*' ? 'all' : method, `${prefix}${path}`, names),
    ),
  )
  return rows.join('\n')
}

function rowOf(first: string, method: string, below: string, names: string): string {
  const calls = namesIn(names).map((name) => (name === '**' ? 'all' : `\`${name}\``))
  return `| ${first} | ${method} | \`${below}\` | ${calls.join(', ')} |`
}
