import { bitgetPolicy } from '../../src/exchanges/policy/bitget.ts'
import { mexcPolicy } from '../../src/exchanges/policy/mexc.ts'
import {
  type ClosedGroup,
  KIND_PERMISSIONS,
  namesIn,
  type Policy,
} from '../../src/exchanges/policy/rules.ts'

const families = [
  { name: 'MEXC spot', prefix: '/mx', policy: mexcPolicy, below: '/api/v3/' },
  { name: 'MEXC futures', prefix: '/mx', policy: mexcPolicy, below: '/api/v1/' },
  { name: 'Bitget, classic accounts', prefix: '/bg', policy: bitgetPolicy, below: '/api/v2/' },
  { name: 'Bitget, unified accounts', prefix: '/bg', policy: bitgetPolicy, below: '/api/v3/' },
] as const

const exchanges = [
  { name: 'MEXC', prefix: '/mx', policy: mexcPolicy },
  { name: 'Bitget', prefix: '/bg', policy: bitgetPolicy },
] as const

/**
 * The page of what is open on the drop-in families, made of the policies that the gateway obeys.
 */
export function renderOpenCalls(): string {
  const open = families.map(({ name, prefix, policy, below }) => {
    const rows = policy.lines
      .filter(([, , path]) => path.startsWith(below))
      .map(([kind, method, path, names]) =>
        rowOf(`\`${KIND_PERMISSIONS[kind]}\``, method, `${prefix}${path}`, names),
      )
    const more = policy.byBody.flatMap((rule) =>
      rule.calls
        .filter((call) => call.includes(` ${below}`))
        .map(
          (call) =>
            `\n\`${call.replace(' ', ` ${prefix}`)}\` needs \`${rule.kind}\` too ${rule.when}.\n`,
        ),
    )
    return `## ${name}\n\n| Permission | Method | Below | Calls |\n| --- | --- | --- | --- |\n${rows.join('\n')}\n${more.join('')}`
  })
  const closed = exchanges.map(
    ({ name, prefix, policy }) =>
      `## Closed on ${name}\n\n| Reason | Method | Below | Calls |\n| --- | --- | --- | --- |\n${closedRows(policy, prefix)}\n`,
  )
  return [HEAD, ...open, CLOSED, ...closed].join('\n')
}

const HEAD = `# Every call that is open

What a bot may call below \`/mx\` and \`/bg\`, and the permission that it needs, each call by its name. \`{…}\` in a name is one
part of the path. The gateway rejects everything else with 403 \`ENDPOINT_FORBIDDEN\` and sends nothing. This page is generated
from the table that the gateway enforces (\`npm run exchange-diff -- --page\`).
`

const CLOSED = `# What is closed on purpose

Nobody may make these calls; the error says why. A call that is in neither list is closed too: nobody has decided about it yet.
\`npm run exchange-diff\` lists the calls that the installed SDKs know and that are in neither list.
`

function closedRows({ closed }: Policy, prefix: string): string {
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
