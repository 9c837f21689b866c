import { describe, expect, test } from 'vitest'
import { callOf } from '../../test/support/exchange-orders.ts'
import { checkStopFields } from './bot-orders.ts'
import type { EffectForm } from './call-effect.ts'
import { OrderFieldUnknownError } from './protocol/errors.ts'
import { readJson } from './protocol/json-text.ts'
import { adapters } from './registry.ts'

const SPOT = 'POST /api/v3/order'
const CREATE = 'POST /api/v1/private/order/create'
const PLACE = 'POST /api/v2/spot/trade/place-order'
const CHANGE_PLAN = 'POST /api/v2/mix/order/modify-plan-order'
const STRATEGY = 'POST /api/v3/trade/place-strategy-order'

/** The message of the refusal; undefined when the call passes. */
function refusalOf(line: string, fields: unknown, list?: readonly unknown[]): string | undefined {
  const call = callOf(line, fields)
  const adapter = adapters.of(call.family)
  const whole = adapter.orders.fields.read(call, readJson(call.body ?? ''))
  try {
    checkStopFields(adapter, call, whole, list)
    return undefined
  } catch (error) {
    if (error instanceof OrderFieldUnknownError) return error.message
    throw error
  }
}

const forms = adapters.all.flatMap(({ calls }) =>
  [...calls.facts].flatMap(([line, { effect }]) =>
    typeof effect === 'object' ? [[line, effect] as const] : [],
  ),
)
/** Of ccxt, which writes them into any call that it has not thought of. */
const OF_CCXT = ['triggerPrice', 'stopPrice', 'stopLossPrice', 'takeProfitPrice', 'trailingPercent']
/** What the exchanges call the prices of their stops. */
const isStopField = (name: string) =>
  /^(?:new|preset)?(?:stop|takeProfit|trigger|preset).*Price$|^(?:takeProfit|stopLoss)$/i.test(
    name,
  ) &&
  // Prices at which a stop would trade, not at which it waits.
  !/execute|orderPrice/i.test(name)

test('each call refuses each stop field that it does not know', () => {
  const names = new Set([...OF_CCXT, ...forms.flatMap(([, form]) => [...form.fields])])
  const fields = [...names].filter((name) => OF_CCXT.includes(name) || isStopField(name))
  expect(fields.length).toBeGreaterThan(15)
  for (const [line, form] of forms)
    for (const field of fields)
      if (!form.fields.has(field))
        expect(refusalOf(line, { [field]: '9' }), `${line} ${field}`).toContain(`"${field}"`)
})

const knows = ({ fields, ignores }: EffectForm, name: string, value: object) =>
  fields.has(name) && ignores?.({ ...value, [name]: '9' }).includes(name) !== true

test('each call knows the fields of its own stops', () => {
  for (const [line, form] of forms)
    for (const field of form.fields)
      if (knows(form, field, {})) expect(refusalOf(line, { [field]: '9' }), line).toBeUndefined()
})

test.each<[line: string, fields: object, passes: object]>([
  [PLACE, { triggerPrice: '9' }, { triggerPrice: '9', tpslType: 'tpsl' }],
  [PLACE, { triggerPrice: '9', tpslType: 'normal' }, { triggerPrice: '9', tpslType: 'TPSL' }],
  [CREATE, { side: 4, stopLossPrice: 9 }, { side: 1, stopLossPrice: 9 }],
  [CREATE, { side: '2', takeProfitPrice: '9' }, { side: '3', takeProfitPrice: '9' }],
  [CREATE, { side: 3, reduceOnly: true, stopLossPrice: 9 }, { side: 3, stopLossPrice: 9 }],
  [CHANGE_PLAN, { triggerPrice: '9' }, { triggerPrice: '9', newTriggerPrice: '9' }],
  [STRATEGY, { triggerPrice: '9', type: 'tpsl' }, { triggerPrice: '9', type: 'trigger' }],
])('%s refuses %j, and passes %j', (line, fields, passes) => {
  expect(refusalOf(line, fields)).toContain('in an order like this one')
  expect(refusalOf(line, passes)).toBeUndefined()
})

describe('a stop field', () => {
  test.each([{ stopPrice: '' }, { stopPrice: null }, { stopPrice: 0 }, { stopPrice: '0.00' }])(
    'that says nothing passes: %j',
    (fields) => expect(refusalOf(CREATE, fields)).toBeUndefined(),
  )

  test.each(['trigger_price', 'TriggerPrice', 'stop-price', 'stopLoss[triggerPrice]'])(
    'is one by another spelling too: %s',
    (name) => expect(refusalOf(SPOT, { [name]: '9' })).toContain(name),
  )

  test('is found beside a list, and in each of its entries', () => {
    const line = 'POST /api/v2/mix/order/batch-place-order'
    expect(refusalOf(line, { triggerPrice: '9' }, [{}])).toContain('triggerPrice')
    expect(refusalOf(line, {}, [{}, { stopLoss: { triggerPrice: 9 } }])).toContain('stopLoss')
    expect(refusalOf(line, { symbol: 'BTCUSDT' }, [{ presetStopLossPrice: '9' }])).toBeUndefined()
  })

  test.each([
    [SPOT, 'MEXC spot has no call for it here'],
    [CREATE, 'Send POST /api/v1/private/planorder/place/v2 instead'],
    [PLACE, 'Send POST /api/v2/spot/trade/place-plan-order instead'],
    ['POST /api/v2/mix/order/place-order', 'Send POST /api/v2/mix/order/place-plan-order instead'],
    [
      'POST /api/v3/trade/place-order',
      'Send POST /api/v3/trade/place-strategy-order with "type": "trigger" instead',
    ],
  ])('of %s is refused with the call that does it', (line, advice) => {
    expect(refusalOf(line, { stopPrice: '9' })).toContain(advice)
  })

  test('is named by a call that is open to clients', () => {
    for (const { calls, stopCalls = [] } of adapters.all)
      for (const { below: _, ...named } of stopCalls)
        for (const words of Object.values(named)) {
          const [call = ''] = words.split(' with ')
          expect(calls.kinds.get(call), call).toBe('order')
        }
  })
})
