import { REFUSAL_KINDS, type RefusalKind, rawErrors } from 'schema'
import { adapters } from '../../src/exchanges/registry.ts'

/** The table of `docs/outcomes.md` of what SDKs make of the errors of raw routes. */
export function renderRefusals(): string {
  const apis = adapters.all
  const titles = apis.map(({ title }) => title).join(' | ')
  const rows = (Object.keys(REFUSAL_KINDS) as RefusalKind[]).map((kind) => {
    const codes = apis.map(({ refusals }) => `\`${refusals.codes[kind]}\``).join(' | ')
    const own = rawErrors.filter((error) => error.kind === kind).map(({ code }) => `\`${code}\``)
    const unknown = kind === 'timeout' ? 'any code with the outcome `unknown`; ' : ''
    return `| \`${REFUSAL_KINDS[kind]}\` | ${codes} | ${unknown}${own.join(', ')} |\n`
  })
  const line = `| --- |${' --- |'.repeat(apis.length + 1)}`
  return `| In ccxt | ${titles} | \`sluice.code\` |\n${line}\n${rows.join('')}`
}
