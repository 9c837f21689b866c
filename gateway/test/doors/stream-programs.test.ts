import { mxCancelOrder, mxSubmitOrder } from 'schema'
import { expect, onTestFinished, test } from 'vitest'
import { testApp } from '../app.ts'
import { startCuttingProxy } from '../support/cutting-proxy.ts'
import { followProgram, hasModules } from './run-program.ts'

const PROGRAMS = ['streams-events.mjs', ...(hasModules([]) ? ['streams_events.py'] : [])]
const ORDER = {
  ...({ symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT' } as const),
  ...{ quantity: '0.01', price: '50000' },
}
/** Python takes its time to start on a busy machine. */
const PATIENCE = { timeout: 60_000, interval: 50 }

test('the programs that read a stream miss nothing of what happens while they are cut off', async () => {
  const t = await testApp({ env: { ACCOUNT_STREAMS: 'on' } })
  const { port } = new URL(await t.app.listen({ host: '127.0.0.1', port: 0 }))
  const proxy = await startCuttingProxy(Number(port))
  onTestFinished(() => proxy.refuse())
  const bot = await t.client()
  const gate = { url: `http://127.0.0.1:${proxy.port}`, bot }
  const programs = PROGRAMS.map((file) => followProgram(gate, file))
  const expectEach = (wanted: RegExp) =>
    Promise.all(programs.map((printed) => expect.poll(printed, PATIENCE).toMatch(wanted)))

  await expectEach(/mx spot live/)
  const placed = await t.call(mxSubmitOrder, { body: ORDER }, bot)
  const { orderId } = placed.body
  await expectEach(new RegExp(`BTCUSDT ${orderId} open 0\n`))
  await proxy.refuse()
  const { symbol } = ORDER
  await t.call(mxCancelOrder, { body: { symbol, orderId } }, bot)
  await proxy.accept()
  await expectEach(new RegExp(`BTCUSDT ${orderId} canceled 0\n`))
  // Resumed: nothing of it began anew.
  for (const printed of programs)
    expect(printed().split(` ${orderId} open 0\n`)).toEqual([
      expect.anything(),
      expect.not.stringMatching(/forget|from here on/),
    ])
})
