import { type AccountStreams, listAccountStreams, listClientStreams, mxSubmitOrder } from 'schema'
import { expect, test } from 'vitest'
import { testApp } from './app.ts'
import { openSocket, readEvents, type StreamReader } from './support/stream-reader.ts'

const ORDER = {
  ...({ symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT' } as const),
  ...{ quantity: '0.01', price: '50000' },
}

/** Waits until both markets of MEXC are live. */
async function live(reader: StreamReader): Promise<void> {
  for (const market of ['spot', 'futures'])
    await reader.next({ type: 'state', market, data: { state: 'live' } })
}

test('people see the streams of accounts, and what each client listens with', async () => {
  const t = await testApp({ env: { ACCOUNT_STREAMS: 'on' } })
  const url = await t.app.listen({ host: '127.0.0.1', port: 0 })
  const read = async () => (await t.call(listAccountStreams, {})).body as AccountStreams
  const streamsOf = async ({ id }: { readonly id: number }) =>
    (await t.call(listClientStreams, { params: { id } })).body
  expect(await read()).toMatchObject({
    ...{ isOn: true, feeds: [] },
    sockets: [
      { exchange: 'mx', open: 0 },
      { exchange: 'bg', open: 0 },
    ],
  })
  const [bot, silent] = [await t.client(), await t.client()]
  const sse = await readEvents(url, bot.headers, '?exchange=mx')
  await live(sse)
  const { id: lastId } = await sse.next({ type: 'snapshotEnd' })
  const ws = await openSocket(url, bot.headers, `?exchange=mx&after=${lastId}`)
  await live(ws)
  const { body } = await t.call(mxSubmitOrder, { body: ORDER }, bot)
  await sse.next({ type: 'order', data: { orderId: body.orderId, status: 'open' } })

  const feed = {
    ...{ exchange: 'mx', state: 'live', reason: null, listening: 2 },
    clients: [{ id: bot.id, clientId: bot.clientId }],
  }
  const now = await read()
  expect(now).toMatchObject({ sockets: [{ open: 2 }, { open: 0 }] })
  expect(now.feeds.map(({ feed }) => feed).sort()).toEqual(['mexc-futures', 'mexc-spot'])
  for (const each of now.feeds) expect(each).toMatchObject(feed)
  const spot = now.feeds.find((each) => each.feed === 'mexc-spot')
  expect(spot?.eventsLastMinute).toBeGreaterThan(0)
  expect(Date.parse(spot?.lastEventAt ?? '')).toBeGreaterThanOrEqual(Date.parse(spot?.since ?? ''))
  expect(await streamsOf(bot)).toMatchObject({
    feeds: [feed, feed],
    streams: [
      { kind: 'sse', isResumed: false, address: '127.0.0.1', waitingBytes: 0 },
      { kind: 'websocket', isResumed: true, address: '127.0.0.1' },
    ],
  })
  expect(await streamsOf(silent)).toMatchObject({ feeds: [], streams: [] })
  sse.close()
  ws.close()
  await expect.poll(async () => (await streamsOf(bot)).streams).toEqual([])
})
