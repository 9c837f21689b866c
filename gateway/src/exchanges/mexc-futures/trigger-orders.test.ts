import { expect, test } from 'vitest'
import { keyOf as keyOfCall, postTo, readOrderKey } from '../../../test/support/exchange-orders.ts'
import type { Lookup } from '../order-lookup/order-key.ts'
import type { ToCancel } from '../order-lookup/order-protocol.ts'
import { answerTo } from '../order-lookup/paged-lookup.ts'
import { canBeLookedUp, cancelCallsOf, lookupsOfWorking } from '../order-lookups.ts'
import { resultsOf } from '../order-results.ts'
import { parseLossless } from '../protocol/lossless.ts'

const NOW = 1_800_000_000_000
const SINCE = `end_time=${NOW + 60_000}`
/** More digits than a double holds. */
const ID = '739206374277809664'

const keyOf = (path: string, body: string) =>
  keyOfCall(postTo('mexc-futures')(`/api/v1/private/${path}`, body))

const PLAN = '{"symbol":"A_USDT","side":1,"vol":2,"orderType":5,"triggerPrice":3}'
const PLACING = [
  ['planorder/place', PLAN],
  ['planorder/place/v2', PLAN],
  ['stoporder/place', '{"positionId":5,"vol":2,"stopLossPrice":1}'],
  ['trackorder/place', '{"symbol":"A_USDT","side":1,"vol":2,"backType":1,"backValue":0.1}'],
] as const

test.each(PLACING)('%s makes an order that waits, with the id of its response', (path, body) => {
  const key = keyOf(path, body)
  expect(key).toMatchObject({ action: 'place', plan: path.split('/')[0] })
  // Without a client order id, one whose response is lost cannot be found.
  expect(canBeLookedUp(key)).toBe(false)
  const made = { order: key, became: 'working', orderId: ID }
  const rows = [`"${ID}"`, ID, `{"id":${ID},"orderId":0}`, `[{"id":"${ID}","orderId":"0"}]`]
  for (const data of rows) expect(resultsOf(key, parseLossless(data)?.value)).toEqual([made])
  const two = resultsOf(key, parseLossless(`[{"id":1},{"id":2}]`)?.value)
  expect(two.map(({ orderId }) => orderId)).toEqual(['1', '2'])
})

test('a change of a trailing order keeps its id, and nothing shows whether it was made', () => {
  const body = '{"symbol":"A_USDT","trackOrderId":7,"vol":3,"backType":1,"backValue":0.1}'
  const key = keyOf('trackorder/change_order', body)
  expect(key).toMatchObject({ action: 'modify', isInPlace: true, plan: 'trackorder' })
  expect(key).toMatchObject({ orderId: '7', terms: { size: '3' } })
  expect(canBeLookedUp(key)).toBe(false)
  expect(resultsOf(key, undefined)).toMatchObject([{ became: 'working' }])
})

const placed = (path: string, body: string, orderId: string): ToCancel => ({
  key: keyOf(path, body),
  ...{ orderId, clientOrderId: null },
})
const [plan, , stop, track] = PLACING.map(([path, body]) => placed(path, body, ID))

test('orders of each kind are cancelled by ids, at most 50 in a call', () => {
  const many = Array.from({ length: 51 }, (_, at) => placed(...PLACING[0], `${ID}${at}`))
  const orders = [...many, stop, stop, track, track].filter((order) => order !== undefined)
  const bodies = cancelCallsOf(orders, null).map(({ orderCall, orders: named }) => {
    const { path, body } = orderCall.call
    expect(readOrderKey(orderCall.call)).toEqual(
      // The call itself does not name the market of a stop order.
      path.includes('stoporder') ? expect.anything() : orderCall.order,
    )
    return [path.replace('/api/v1/private/', ''), named.length, body]
  })
  const one = (at: number) => `{"symbol":"A_USDT","orderId":"${ID}${at}"}`
  expect(bodies).toEqual([
    ['planorder/cancel', 50, `[${Array.from({ length: 50 }, (_, at) => one(at)).join(',')}]`],
    ['planorder/cancel', 1, `[${one(50)}]`],
    ['stoporder/cancel', 2, `[{"stopPlanOrderId":${ID}},{"stopPlanOrderId":${ID}}]`],
    ['trackorder/cancel', 1, `{"symbol":"A_USDT","trackOrderId":${ID}}`],
    ['trackorder/cancel', 1, `{"symbol":"A_USDT","trackOrderId":${ID}}`],
  ])
})

test.each(['', '0', '1,"symbol":""', 'a', '1'.repeat(21)])(
  'no cancel is made of the id "%s"',
  (orderId) => {
    const orders = PLACING.map(([path, body]) => placed(path, body, orderId))
    expect(cancelCallsOf(orders, null)).toEqual([])
  },
)

test.each([
  ['planorder/cancel', `[{"symbol":"A_USDT","orderId":"${ID}"}]`],
  ['planorder/cancel', `[${ID},"2"]`],
  ['stoporder/cancel', `[{"stopPlanOrderId":${ID}}]`],
  ['trackorder/cancel', `{"symbol":"A_USDT","trackOrderId":${ID}}`],
])('the response to %s %s does not say what was cancelled', (path, body) => {
  const key = keyOf(path, body)
  const results = resultsOf(key, undefined)
  expect(results[0]).toMatchObject({ became: 'asked', orderId: ID })
  expect(new Set(results.map(({ became }) => became))).toEqual(new Set(['asked']))
  expect(canBeLookedUp(key)).toBe(true)
  const entry = { orderId: ID, errorCode: 2040 }
  expect(resultsOf(key, [entry])[0]).toMatchObject({ became: 'nothing' })
})

function lookupsFor(order: ToCancel | undefined) {
  if (order === undefined) throw new Error('no order')
  const key = { ...order.key, orderId: order.orderId ?? undefined }
  const lookups = lookupsOfWorking(key, NOW, null)
  if (lookups === undefined) throw new Error('no lookups')
  return lookups
}
const asked = (lookups: readonly Lookup[]) =>
  lookups.map(({ call }) => `${call.path.replace('/api/v1/private/', '')}?${call.query}`)

test('each kind is looked for in its own lists', () => {
  const pages = 'page_num=1&page_size=100'
  const span = `start_time=${NOW + 60_000 - 89 * 86_400_000}&${SINCE}`
  const list = (kind: string, query: string) => `${kind}/list/orders?${query}`
  expect(asked(lookupsFor(plan).all)).toEqual([
    list('planorder', `states=1&${span}&${pages}`),
    list('planorder', `${span}&${pages}`),
  ])
  expect(asked(lookupsFor(stop).all)).toEqual([
    list('stoporder', `is_finished=0&${pages}`),
    list('stoporder', `is_finished=1&${span}&${pages}`),
  ])
  const trackPages = 'pageIndex=1&pageSize=100'
  expect(asked(lookupsFor(track).open)).toEqual([
    list('trackorder', `states=0&${trackPages}`),
    list('trackorder', `states=1&${trackPages}`),
  ])
  expect(asked(lookupsFor(track).all.slice(2))).toEqual(
    [4, 2, 3].map((state) => list('trackorder', `states=${state}&${span}&${trackPages}`)),
  )
})

test('a row is the order with its id, not the one that it made', () => {
  const stateOf = (order: ToCancel | undefined, row: object) => {
    const found = lookupsFor(order).open[0]?.read({ kind: 'ok', data: [row] })
    return typeof found === 'object' ? found.state : found
  }
  const states = (order: ToCancel | undefined) =>
    [0, 1, 2, 3, 4, 5].map((state) => stateOf(order, { id: ID, orderId: '9', state }))
  const ended = ['cancelled', 'filled', 'rejected', 'rejected']
  expect(states(plan)).toEqual(['unclear', 'open', ...ended])
  expect(states(stop)).toEqual(['unclear', 'open', ...ended])
  expect(states(track)).toEqual(['open', 'open', 'filled', 'rejected', 'cancelled', 'unclear'])
  expect(stateOf(plan, { id: '9', orderId: ID, state: 1 })).toBe('absent')
})

/** A list with this many others, which may change between two pages. */
async function search(others: number, at: number | undefined, onPage?: (page: number) => void) {
  const rows = Array.from({ length: others }, (_, id) => ({ id: `${id + 1}`, state: 1 }))
  if (at !== undefined) rows.splice(at, 0, { id: ID, state: 1 })
  let pages = 0
  const [lookup] = lookupsFor(plan).open
  if (lookup === undefined) throw new Error('no lookup')
  const found = await answerTo(lookup, async ({ query }) => {
    const values = new URLSearchParams(query)
    const [page, size] = [Number(values.get('page_num')), Number(values.get('page_size'))]
    pages += 1
    const data = rows.slice((page - 1) * size, page * size)
    onPage?.(pages)
    if (pages === 1 && onPage !== undefined) rows.shift()
    return { kind: 'ok', data }
  })
  return { found: typeof found === 'object' ? found.orderId : found, pages }
}

test('a list is read page by page, and twice before an order counts as absent', async () => {
  expect(await search(99, undefined)).toEqual({ found: 'absent', pages: 1 })
  expect(await search(100, undefined)).toEqual({ found: 'absent', pages: 4 })
  expect(await search(250, 240)).toEqual({ found: ID, pages: 3 })
  expect(await search(12_000, undefined)).toEqual({ found: 'unclear', pages: 100 })
})

test('an order that moves to the page before while the list is read is found all the same', async () => {
  const seen: number[] = []
  const { found } = await search(150, 100, (page) => seen.push(page))
  expect(found).toBe(ID)
  expect(seen).toEqual([1, 2, 3, 4])
})
