import type { Exchange } from '../../src/exchanges/adapter.ts'
import type { EffectForm } from '../../src/exchanges/call-effect.ts'
import { UnclearFieldError } from '../../src/exchanges/call-effect.ts'
import type { OpenKind } from '../../src/exchanges/call-table.ts'
import { adapters } from '../../src/exchanges/registry.ts'

/** The folder of the documents, as the page sees it. */
const DOCS = '../'

/** How the limits take a call: the words of the table in docs/limits.md. */
const CLASSES = [
  'cancel',
  'order',
  'order whose size the call does not say',
  'change of an own order',
  'change of an own order whose size the call does not say',
  'leverage',
  'margin of a position',
  'other setting',
] as const

const SIZES = ['quantity', 'size', 'qty', 'vol', 'newSize']
const IDS = ['orderId', 'trackOrderId', 'stopPlanOrderId']

/** docs/reference/limited-calls.md, made of the policy and the adapters' effect tables. */
export function renderLimitedCalls(): string {
  const rows = adapters.all.flatMap((adapter) => rowsOf(adapter))
  const classes = CLASSES.flatMap((name) =>
    adapters.all.flatMap(({ title }) => {
      const calls = rows.filter((row) => row.name === name && row.title === title)
      const names = calls.map(({ call }) => `\`${call}\``).join(', ')
      return calls.length === 0 ? [] : [`| ${name} | ${title} | ${names} |`]
    }),
  )
  const closed = rows.filter(({ name }) => name === 'closed')
  const reasons = [...new Set(closed.map(({ why }) => why))].map((why) => {
    const calls = closed.filter((row) => row.why === why)
    return `| ${calls.map(({ call, when = '' }) => `\`${call}\`${when}`).join(', ')} | ${why} |`
  })
  return `${HEAD}${classes.join('\n')}\n\n${CLOSED}${reasons.join('\n')}\n`
}

const HEAD = `# How limits judge each call

For administrators and authors of bots: as what [the limits of a client](${DOCS}limits.md#what-is-checked) take each open call. Reads are not limited. A documented
route is judged as the call that it becomes. \`npm run exchange-diff -- --page\` generates this page from the tables by which the gateway decides.

| judged as | API | calls |
| --- | --- | --- |
`

const CLOSED = `## Closed for a client that has any limit

The gateway refuses these with 422 \`LIMIT_UNVALUED\`.

| calls | because |
| --- | --- |
`

interface Row {
  readonly title: string
  readonly call: string
  readonly name: (typeof CLASSES)[number] | 'closed'
  readonly why?: string
  /** With which body only. */
  readonly when?: string
}

function rowsOf({ calls: { kinds, facts }, title }: Exchange): Row[] {
  return [...kinds].flatMap(([call, kind]) => {
    if (kind === 'market' || kind === 'account') return []
    const { effect, byBody } = facts.get(call) ?? {}
    const row = { title, call, ...classOf(kind, effect) }
    return byBody?.kind !== 'strategies'
      ? [row]
      : [row, { title, call, when: ` ${byBody.when}`, name: 'closed' as const, why: STRATEGY }]
  })
}

const STRATEGY = 'the exchange trades on its own afterwards'

function classOf(kind: OpenKind, form: EffectForm | string | undefined): Pick<Row, 'name' | 'why'> {
  if (kind === 'cancel') return { name: 'cancel' }
  if (kind === 'strategies') return { name: 'closed', why: STRATEGY }
  if (typeof form === 'string') return { name: 'closed', why: form }
  if (form === undefined)
    return kind === 'settings'
      ? { name: 'other setting' }
      : { name: 'closed', why: 'what it may trade does not follow from its fields' }
  const kinds = settingsOf(form)
  if (kinds.includes('leverage')) return { name: 'leverage' }
  if (kinds.includes('margin')) return { name: 'margin of a position' }
  const isChange = IDS.some((name) => form.fields.has(name))
  const hasSize = SIZES.some((name) => form.fields.has(name))
  const order = isChange ? 'change of an own order' : 'order'
  return { name: hasSize ? order : `${order} whose size the call does not say` }
}

function settingsOf({ read }: EffectForm): string[] {
  try {
    return [read({ symbol: 'BTCUSDT', leverage: '5' })].flat().map(({ kind }) => kind)
  } catch (error) {
    if (error instanceof UnclearFieldError) return []
    throw error
  }
}
