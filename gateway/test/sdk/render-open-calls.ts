import { bitgetPolicy } from '../../src/exchanges/policy/bitget.ts'
import { mexcPolicy } from '../../src/exchanges/policy/mexc.ts'
import type { CallKind, PolicyRule } from '../../src/exchanges/policy/rules.ts'

const permissions: Record<CallKind, string> = {
  market: '`market`',
  account: '`account`',
  cancel: '`trade`',
  order: '`trade`',
  never: 'closed',
}

const families = [
  { name: 'MEXC spot', prefix: '/mx', policy: mexcPolicy, below: '/api/v3/' },
  { name: 'MEXC futures', prefix: '/mx', policy: mexcPolicy, below: '/api/v1/' },
  { name: 'Bitget, classic accounts', prefix: '/bg', policy: bitgetPolicy, below: '/api/v2/' },
  { name: 'Bitget, unified accounts', prefix: '/bg', policy: bitgetPolicy, below: '/api/v3/' },
] as const

/**
 * The page of what is open on the drop-in families, made of the policies that the gateway obeys.
 */
export function renderOpenCalls(): string {
  const tables = families.map(({ name, prefix, policy, below }) => {
    const rules = policy.filter(({ written }) => written.startsWith(below))
    const rows = rules.map((rule) => rowOf(prefix, rule)).join('\n')
    return `## ${name}\n\n| Permission | Method | Calls |\n| --- | --- | --- |\n${rows}\n`
  })
  return [HEAD, ...tables].join('\n')
}

const HEAD = `# Every call that is open

What a bot may call below \`/mx\` and \`/bg\`, and the permission that it needs. The gateway rejects everything else with 403
\`ENDPOINT_FORBIDDEN\` and sends nothing. \`…\` is any path from there on, \`{a, b}\` is one of them. The first matching row counts.
This page is generated from the table that the gateway enforces.
`

function rowOf(prefix: string, { kind, method, written }: PolicyRule): string {
  const path = written
    .replaceAll('**', '…')
    .replaceAll(/\(([^)]+)\)/g, (_, names: string) => `{${names.replaceAll('|', ', ')}}`)
  return `| ${permissions[kind]} | ${method} | \`${prefix}${path}\` |`
}
