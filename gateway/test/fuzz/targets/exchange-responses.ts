import assert from 'node:assert/strict'
import fc from 'fast-check'
import { nameBotOrders, readBotCall } from '../../../src/exchanges/bot-call.ts'
import type { UpstreamCall, UpstreamResponse } from '../../../src/exchanges/exchange.ts'
import { keysOf } from '../../../src/exchanges/keys.ts'
import type { OrderKey } from '../../../src/exchanges/order-lookup/order-key.ts'
import { foundResponseFor, lookupsOfAll } from '../../../src/exchanges/order-lookups.ts'
import { entryDoubts, resultsOf } from '../../../src/exchanges/order-results.ts'
import { parseLossless } from '../../../src/exchanges/protocol/lossless.ts'
import { dataOf } from '../../../src/exchanges/protocol/rejection.ts'
import { isRecord, textOf } from '../../../src/exchanges/protocol/untrusted.ts'
import { type Verdict, wordsOf } from '../../../src/exchanges/protocol/verdict.ts'
import { readPrice, readRules, readTime } from '../../../src/exchanges/public-data.ts'
import { readWithTime } from '../../../src/exchanges/read-response.ts'
import { adapters } from '../../../src/exchanges/registry.ts'
import { unlessRefused } from '../declared.ts'
import { editedText, hostileText, jsonValueText, mutatedJson } from '../hostile.ts'
import { orderResponses, readResponses } from '../recorded-responses.ts'
import type { Target } from '../target.ts'

const SENT_AT = 1_790_000_000_000

/** Of each recorded order: its key, and the questions by which it is looked up. */
const orders = orderResponses.map(({ call, body }) => {
  const bot = readBotCall({ kind: 'order', call }, call.body ?? '', 'application/json')
  const { order } = nameBotOrders(bot, 'own-1')
  const lookups = order === undefined ? [] : lookupsOfAll(order, SENT_AT, SENT_AT + 1_000)
  return { call, body, order, lookups: lookups.flatMap((each) => each.lookups) }
})
const recorded = [
  ...orders,
  ...readResponses.map((each) => ({ ...each, order: undefined, lookups: [] })),
]

const garbage = fc.oneof(
  hostileText,
  jsonValueText,
  fc.constantFrom('', '<html>502</html>', '{"code":', 'null', '[]', '{}', '"done"', 'true', '0'),
)

const input = fc
  .record({
    at: fc.nat(recorded.length - 1),
    status: fc.oneof(
      { weight: 6, arbitrary: fc.constant(200) },
      {
        weight: 4,
        arbitrary: fc.constantFrom(
          ...[201, 202, 204, 206, 301, 302, 304, 400, 401, 403, 404, 405, 408, 409, 418, 422, 429],
          ...[500, 501, 502, 503, 504, 510, 520, 599],
        ),
      },
    ),
    retryAfter: fc.option(fc.oneof(fc.constantFrom('1', '0', '-1', '1e9', 'Mon, 1'), hostileText), {
      nil: undefined,
    }),
  })
  .chain((head) => {
    const { body } = recorded[head.at] ?? { body: null }
    const text = fc.oneof(
      { weight: 5, arbitrary: mutatedJson(body) },
      { weight: 2, arbitrary: editedText(fc.constant(JSON.stringify(body))) },
      { weight: 2, arbitrary: garbage },
    )
    return fc.record({ head: fc.constant(head), text })
  })

/** A response proves what its exchange's documents say, and everything else proves nothing. */
export const exchangeResponses: Target = {
  name: 'exchange-responses',
  about: 'responses of the exchanges: garbage, changed, of other types, of any status',
  weight: 200,
  open: async () => ({
    property: fc.property(input, ({ head: { at, status, retryAfter }, text }) => {
      const { call, order, lookups } = recorded[at] ?? { call: undefined }
      if (call === undefined) return
      const response: UpstreamResponse = {
        status,
        headers: { 'content-type': 'application/json', 'retry-after': retryAfter, date: 'x' },
        body: Buffer.from(text),
        upstreamMs: 1,
      }
      const { verdict, timeOfCallMs } = readWithTime(call, response, false)
      const plain = readWithTime(call, response, true)
      const kinds = [plain.verdict.kind, verdict.kind]
      assert.equal(kinds[0], kinds[1], 'the two ways to read it differ')
      if (timeOfCallMs !== undefined)
        assert.ok(timeOfCallMs > 1_577_836_800_000 && timeOfCallMs < 4_102_444_800_000)
      if (call.method !== 'GET') checkOrder(call, order, response, verdict)
      if (lookups !== undefined)
        for (const lookup of lookups) checkLookup(lookup, order, verdict, text)
      checkReads(call, response, verdict)
    }),
  }),
}

type Read = (typeof orders)[number]['lookups'][number]

/** What a verdict about money may say, read with nothing of the gateway's own. */
function checkOrder(
  call: UpstreamCall,
  order: OrderKey | undefined,
  { status, body }: UpstreamResponse,
  verdict: Verdict,
): void {
  const value = parse(body.toString())
  const isTurnedAway = [418, 429, 510].includes(status)
  if (isTurnedAway) assert.equal(verdict.kind, 'rate-limited')
  else if (status >= 500 || (status >= 300 && status < 400) || status === 408)
    assert.equal(verdict.kind, 'unknown', `HTTP ${status} proves nothing`)
  else if (value === undefined) assert.equal(verdict.kind, 'unknown', 'no JSON proves nothing')
  if (verdict.kind === 'ok') {
    assert.ok(status >= 200 && status < 300)
    assert.ok(
      saysSuccess(call, value),
      `it does not say that it was done: ${JSON.stringify(value)}`,
    )
  }
  if (verdict.kind === 'rejected')
    assert.ok(
      (status >= 400 || saysFailure(value)) && !contradicts(call, status, value),
      `it does not say that nothing was done: ${JSON.stringify(value)}`,
    )
  entryDoubts(verdict, order)
  if (verdict.kind === 'ok' && order !== undefined) {
    for (const { order: each, became, orderId } of resultsOf(order, verdict.data)) {
      assert.ok(['working', 'ended', 'nothing', 'asked'].includes(became))
      assert.ok(orderId === undefined || orderId !== '', `an empty order id of ${each.action}`)
    }
  }
}

function saysSuccess({ family, path }: UpstreamCall, value: unknown): boolean {
  if (!isRecord(value)) return false
  if (family === 'bitget') return wordsOf(value).code === '00000'
  if (family === 'mexc-futures')
    return value.success === true && ['', '0', '200'].includes(wordsOf(value).code ?? '')
  // MEXC spot has no envelope: what was done names its order (docs/exchanges/mexc.md, 3.3).
  return path !== '/api/v3/order' || textOf(value.orderId) !== undefined
}

/** Success in the words of the exchange, and another status. */
function contradicts(call: UpstreamCall, status: number, value: unknown): boolean {
  if (!isRecord(value) || status < 300) return false
  if (call.family === 'mexc-spot')
    return textOf(value.orderId) !== undefined && wordsOf(value).code === undefined
  return saysSuccess(call, value)
}

function saysFailure(value: unknown): boolean {
  const isFailed = (entry: unknown) =>
    isRecord(entry) && !['', '0'].includes(wordsOf({ code: entry.errorCode }).code ?? '')
  if (!isRecord(value)) return false
  const entries = [value.data].flat()
  if (entries.length > 0 && entries.every(isFailed)) return true
  return value.success === false || !['', '0', '200', '00000'].includes(wordsOf(value).code ?? '')
}

function parse(text: string): unknown {
  return parseLossless(text)?.value
}

/** An order is found only where the response has it, with every digit of its id. */
function checkLookup(
  lookup: Read,
  order: OrderKey | undefined,
  verdict: Verdict,
  text: string,
): void {
  const end = lookup.read(verdict)
  lookup.next?.(verdict)
  if (end === 'unclear') return
  // A rejection may say that there is no such order; lists have to confirm it.
  const isSaid = verdict.kind === 'ok' || (end === 'absent' && verdict.kind === 'rejected')
  assert.ok(isSaid, 'an unclear response decides')
  if (end === 'absent' || order === undefined) return
  assert.ok(end.orderId !== '')
  const written = JSON.stringify(end.orderId)
  const isThere =
    text.toWellFormed().includes(end.orderId) || text.includes(written) || /\\/.test(text)
  assert.ok(isThere, `the id ${end.orderId} is not in the response`)
  foundResponseFor(order, [end], SENT_AT)
}

/** What the gateway reads for itself: with a declared error, or sound. */
function checkReads(call: UpstreamCall, response: UpstreamResponse, verdict: Verdict): void {
  const { code } = adapters.of(call.family)
  for (const market of ['spot', 'futures'] as const) {
    const symbol = code === 'mx' && market === 'futures' ? 'BTC_USDT' : 'BTCUSDT'
    const key = { exchange: code, market, symbol }
    const rules = unlessRefused(() => readRules(key, verdict))
    if (rules !== undefined) {
      for (const number of [rules.minSize, rules.sizeStep, rules.priceTick]) assertDecimal(number)
      for (const number of [rules.maxSize, rules.minValue, rules.maxValue, rules.contractSize])
        if (number !== undefined) assertDecimal(number)
    }
    const price = unlessRefused(() => readPrice(key, verdict))
    if (price !== undefined)
      for (const number of [price.reference, price.high]) assertDecimal(number)
  }
  readTime(call.family, response)
  const data = unlessRefused(() => dataOf('X', verdict))
  const { canWithdraw, permissions, ipBinding } = keysOf(code).read(isRecord(data) ? data : {})
  assert.ok(canWithdraw === null || typeof canWithdraw === 'boolean')
  assert.ok(permissions.every((each) => typeof each === 'string'))
  assert.ok(ipBinding === null || ipBinding.every((each) => typeof each === 'string'))
}

function assertDecimal(text: string): void {
  assert.match(text, /^\d+(\.\d+)?$/)
  assert.ok(Number(text) > 0, `${text} is not above zero`)
}
