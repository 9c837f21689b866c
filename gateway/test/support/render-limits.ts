import { DEFAULT_RATE_LIMIT_PER_SECOND, EXCHANGE_NAMES, EXCHANGES } from 'schema'
import type { Exchange } from '../../src/exchanges/adapter.ts'
import {
  type AllowedRate,
  type ExchangeLimit,
  type LimitedCall,
  orderRateOf,
  rateOf,
} from '../../src/exchanges/limits.ts'
import { adapters, allowedRate } from '../../src/exchanges/registry.ts'

const SCOPES = { ip: 'address', uid: 'account', 'ip or uid': 'address or account [?]' } as const

/** The section of capacity.md about the exchanges' own limits, made of the adapters' data. */
export function renderLimits(): string {
  const tables = adapters.all.map(({ title, limits }) => ({ title, table: limits.table }))
  const limits = tables.flatMap(({ title, table }) => table.map((one) => limitRow(title, one)))
  const rare = tables.flatMap(({ title, table }) => rareRows(title, table))
  return `${HEAD}${limits.join('\n')}\n\n${ratesPart()}${rare.join('\n')}\n`
}

const HEAD = `## What the exchanges allow

The exchanges' own limits, generated from \`gateway/src/exchanges/*/limits.ts\`. [2] is stated by two or more independent sources, [1] by one, [?] is not
established. "Each" means that each endpoint has a count of its own. All programs that use your address or account count together.

| API | what counts | for each | limit | as of | source |
|---|---|---|---|---|---|
`

function ratesPart(): string {
  const most = EXCHANGES.map(
    (exchange) => `${rateText(allowedRate(exchange))} for ${EXCHANGE_NAMES[exchange]}`,
  )
  return `In the worst case every call is an order of one account, and all go to one API. Then these limits allow:

| API | orders a second | because of |
|---|---|---|
${adapters.all.map(rateRow).join('\n')}

The APIs of an exchange share its lane, so the lowest counts: ${most.join(', ')}. \`RATE_LIMIT_PER_SECOND\` sets every lane. Above these rates the exchange would reject calls and
the lane would pause; \`npm run doctor\` and the log of the start warn of it. The default of ${DEFAULT_RATE_LIMIT_PER_SECOND} is safe for orders on each API.

These calls are allowed less often than ${DEFAULT_RATE_LIMIT_PER_SECOND} times a second. The gateway does not hold them back: a bot that repeats one faster runs into the exchange's limit, and all
calls to that exchange wait.

| API | call | at most |
|---|---|---|
`
}

function limitRow(title: string, limit: ExchangeLimit): string {
  const { calls, max, windowMs, counts, scope, asOf, mark, source } = limit
  const isWeighed = calls !== 'every' && Object.values(calls).some((weight) => weight !== 1)
  const what = `${max.toLocaleString('en')}${isWeighed ? ' by weight' : ''} in ${windowMs / 1000} s`
  const count = counts === 'each' ? `${what}, each` : what
  return `| ${title} | ${limit.title} | ${SCOPES[scope]} | ${count} | ${asOf} ${mark} | ${source} |`
}

function rateRow({ title, limits }: Exchange): string {
  const rate = orderRateOf(limits)
  return `| ${title} | ${rateText(rate)} | ${rate.limit.title} |`
}

/** The calls that are allowed less often than the default rate sends. */
function rareRows(title: string, table: readonly ExchangeLimit[]): readonly string[] {
  const calls = new Set(
    table.flatMap((limit) => (limit.calls === 'every' ? [] : Object.keys(limit.calls))),
  )
  return [...calls].flatMap((call) => {
    const rate = rateOf(call as LimitedCall, table)
    if (rate === undefined || rate.perSecond >= DEFAULT_RATE_LIMIT_PER_SECOND) return []
    return [`| ${title} | \`${call}\` | ${rateText(rate)} a second |`]
  })
}

function rateText({ perSecond }: AllowedRate): string {
  return `${Number(perSecond.toFixed(2))}`
}
