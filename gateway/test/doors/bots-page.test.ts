import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { adminErrors, allBotErrors, botErrors } from 'schema'
import { expect, test } from 'vitest'
import { renderLimitedCalls } from '../support/render-limited-calls.ts'
import { renderOpenCalls } from '../support/render-open-calls.ts'
import { errorCodes } from './error-codes.ts'
import { botPrograms } from './run-program.ts'

const readDocs = (name: string) =>
  readFileSync(fileURLToPath(new URL(`../../../docs/${name}`, import.meta.url)), 'utf8')
const page = readDocs('bots.md')
const errors = readDocs('errors.md')

/** The status of each code in the tables of docs/errors.md. */
const documented = new Map(
  [...errors.matchAll(/^\| `([A-Z_]+)` \| (\d{3}) \|/gm)].map(([, code, status]) => [
    code ?? '',
    Number(status),
  ]),
)

const listed = new Map<string, number>(
  [...allBotErrors, ...adminErrors].map(({ code, status }) => [code, status]),
)

test('schema lists every error of the source once, with its status', () => {
  expect(listed.size).toBe(allBotErrors.length + adminErrors.length)
  const sources = errorCodes()
  // Each limit has a code of its own. Errors without a status are those of commands.
  const made = [...sources].filter(([code, status]) => status !== null && code !== 'LIMIT')
  for (const [code, status] of made) expect([code, listed.get(code)]).toEqual([code, status])
  expect([...listed.keys()].filter((code) => !sources.has(code))).toEqual([])
})

test('the page for bot authors lists every error that a bot can get, with its status', () => {
  expect(documented).toEqual(new Map(allBotErrors.map(({ code, status }) => [code, status])))
})

/** Where "Again" differs from what the status suggests, and why. */
const exceptions: Readonly<Record<string, string>> = {
  EXCHANGE_ORDER_NOT_FOUND: 'yes', // An order can become visible late.
  QUEUE_ENTRY_DROPPED: 'no', // A person did not want it sent.
  EXCHANGE_ANSWER_TOO_LARGE: 'no', // The next response is as large.
  NOT_CARRIED_OUT: 'no', // A new try is a new order.
  OUTCOME_SET_BY_ADMIN: 'no', // The order exists.
  REQUEST_TIMEOUT: 'yes', // It never arrived in full.
  LIMIT_DAY_VALUE: 'yes', // Orders leave the 24 hours.
  LIMIT_OPEN_ORDERS: 'yes', // Working orders end.
  LIMIT_ORDER_RATE: 'yes', // A minute passes.
  LIMIT_PRICE_COLLAR: 'yes', // The price moves.
}

test('the page and the field "retryable" agree on what may be sent again', () => {
  const rows = [...errors.matchAll(/^\| `([A-Z_]+)` \| (\d{3}) \| .* \| ([\w ]+) \|$/gm)]
  expect(rows).toHaveLength(documented.size)
  for (const [, code = '', status, again] of rows) {
    const isMomentary = Number(status) >= 499 || status === '429'
    const isToken = /^TOKEN_(INVALID|EXPIRED|REVOKED|AHEAD_OF_CLOCK)$/.test(code)
    const usual = isToken ? /^new token$/ : isMomentary ? /^(yes|key)$/ : /^no$/
    expect([code, again]).toEqual([
      code,
      code in exceptions ? exceptions[code] : expect.stringMatching(usual),
    ])
  }
})

test('the pages of open calls and of limited calls are those of the policy', () => {
  expect(readDocs('evidence/open-calls.md')).toBe(renderOpenCalls())
  expect(readDocs('reference/limited-calls.md')).toBe(renderLimitedCalls())
})

test('the console and the page give each error the same status', () => {
  for (const { code, status } of botErrors)
    expect([code, documented.get(code)]).toEqual([code, status])
})

test('each program is on a page that the start page leads to', () => {
  const pages = [...page.matchAll(/\]\((bots\/[\w-]+\.md)\)/g)].map(([, name = '']) =>
    readDocs(name),
  )
  const linked = pages.flatMap((text) => [...text.matchAll(/\]\(([\w-]+\.(?:mjs|py|sh|json))\)/g)])
  const shown = new Set(linked.map(([, file]) => file))
  const all = [...botPrograms, 'freqtrade-bitget.json', 'freqtrade-mexc.json']
  expect([...shown].toSorted()).toEqual(all.toSorted())
})
