import { randomBytes } from 'node:crypto'
import { mxSubmitOrder } from 'schema'
import { describe, expect, test } from 'vitest'
import { testApp } from './app.ts'
import { eventually } from './support/eventually.ts'
import { freePort } from './support/free-port.ts'
import { createDatabase, hasPostgres } from './support/postgres.ts'
import { createSetTime } from './support/set-time.ts'
import { startStallingNetwork } from './support/stalling-network.ts'

const ORDER = { symbol: 'BTC_USDT', side: 'BUY', type: 'LIMIT', quantity: '0.01', price: '50000' }

const ORDER_PATH = '/api/v1/private/order/create'

describe.skipIf(!hasPostgres)('a database that says nothing for three seconds', () => {
  test('cuts no order of a group and changes no owner; what comes in between waits', async () => {
    const { url, proxy } = await startStallingNetwork(await createDatabase())
    const common = { DATABASE_URL: url, MASTER_KEY: randomBytes(32).toString('base64') }
    const time = createSetTime()
    const ended: number[] = []
    const node = async () => {
      const port = await freePort()
      const env = { ...common, NODE_URL: `https://127.0.0.1:${port}` }
      return testApp({
        ...{ time, env, paper: { monotonicMs: time.monotonic } },
        app: {
          endProcess: (exitCode) => void ended.push(exitCode),
          // Set time may not pass, and the server ends a session that is idle for 5 s of real time.
          // A pause of 100 ms passes in real time.
          ownershipTimes: { askEveryMs: 100 },
        },
      })
    }
    const owner = await node()
    const { headers } = await owner.client()
    const standby = await node()
    const place = ({ app }: typeof owner) =>
      app.inject({ method: 'POST', url: mxSubmitOrder.path, headers, payload: ORDER })
    expect((await place(standby)).statusCode).toBe(200)
    expect(owner.paper.orders('mx')).toHaveLength(1)

    owner.paper.faults.add({ kind: 'slow', delayMs: 100, match: { method: 'POST' } })
    owner.paper.clearReceived()
    const inFlight = place(owner)
    await eventually(() => expect(owner.paper.received({ path: ORDER_PATH })).toHaveLength(1))
    proxy.cut()
    const between = [place(owner), place(standby)]
    await time.advance(3_000)
    await eventually(() => expect(owner.paper.orders('mx')).toHaveLength(2))
    proxy.heal(true)
    expect((await time.during(inFlight)).statusCode).toBe(200)
    const states = (await time.during(Promise.all(between))).map((response) => {
      const { outcome = 'placed' } = response.json() as { outcome?: string }
      return response.statusCode === 200 ? 'placed' : outcome
    })
    for (const state of states) expect(['placed', 'not-sent']).toContain(state)
    const placed = states.filter((state) => state === 'placed').length
    expect(owner.paper.orders('mx')).toHaveLength(2 + placed)
    expect((await time.during(place(standby))).statusCode).toBe(200)
    expect(owner.paper.orders('mx')).toHaveLength(3 + placed)
    expect(ended).toEqual([])
  })
})
