import { createHmac } from 'node:crypto'
import type { Exchange } from '../../src/exchanges/adapter.ts'
import { readCallTable } from '../../src/exchanges/call-table.ts'
import { jsonFields } from '../../src/exchanges/order-lookup/order-protocol.ts'
import { targetOf } from '../../src/exchanges/protocol/query-text.ts'
import { isRecord, textOf } from '../../src/exchanges/protocol/untrusted.ts'
import { rejected, unknownOutcome, wordsOf } from '../../src/exchanges/protocol/verdict.ts'
import { ordering } from './effects.ts'
import { limits } from './limits.ts'
import { TOY, TOY_CODE } from './names.ts'
import { foundResponse, placesOf, placing } from './orders.ts'
import { rules } from './rules.ts'

/** An exchange that nobody has: what a third one needs is this folder. */
export const toy: Exchange = {
  family: TOY,
  code: TOY_CODE,
  name: 'Toy',
  title: 'Toy API',
  sign(call, keys, timestampMs) {
    const url = targetOf(call.path, call.query)
    const signature = createHmac('sha256', keys.apiSecret)
      .update(`${timestampMs} ${call.method} ${url} ${call.body ?? ''}`)
      .digest('hex')
    return {
      method: call.method,
      url,
      headers: {
        'toy-key': keys.apiKey,
        'toy-time': `${timestampMs}`,
        'toy-signature': signature,
        'content-type': 'application/json',
      },
      body: call.body,
    }
  },
  readEnvelope(_call, status, value) {
    if (isRecord(value) && value.ok === true) return { kind: 'ok', data: value.result }
    const words = wordsOf(value)
    const code = words.code ?? ''
    if (toy.codes.unknown.has(code)) return unknownOutcome('It reports trouble of its own', words)
    return rejected(toy.codes.classes.get(code) ?? 'other', status, words)
  },
  isOwnError: (value) => isRecord(value) && value.ok === false,
  codes: {
    classes: new Map([
      ['no-order', 'order-not-found'],
      ['no-pair', 'symbol'],
      ['same-tag', 'duplicate'],
    ]),
    unknown: new Set(['busy']),
  },
  refusals: {
    codes: {
      ...{ timeout: 'busy', authentication: 'who', permission: 'no', rate: 'slow' },
      ...{ maintenance: 'closed', unavailable: 'closed', failed: 'no' },
      ...{ 'invalid-order': 'no-pair', 'bad-request': 'no' },
    },
    body: (code, why) => ({ ok: false, code, why }),
  },
  calls: readCallTable([
    ['market', 'GET', '/toy/', 'time pairs'],
    ['account', 'GET', '/toy/', 'orders'],
    ['order', 'POST', '/toy/', 'orders', { order: placing, effect: ordering }],
  ]),
  botCalls: { ownsPath: (path) => path.startsWith('/toy/') },
  orders: {
    fields: jsonFields,
    responseNames: { clientOrderId: ['tag'] },
    placesOf,
    listedForMs: 86_400_000,
    foundResponse,
    severalResponse: (_several, ended) => ({ ok: true, result: ended.length }),
  },
  time: {
    paths: ['/toy/time'],
    read: (data) => (isRecord(data) ? textOf(data.now) : undefined),
    response: (nowMs) => ({ ok: true, result: { now: nowMs } }),
  },
  limits,
  rules: { spot: rules },
  prices: {},
}
