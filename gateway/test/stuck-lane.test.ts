import { getStats, healthReady, mxSubmitOrder } from 'schema'
import { expect, test } from 'vitest'
import { COMMIT, VERSION } from '../src/version.ts'
import { testApp } from './app.ts'
import { createShutPace } from './lane-simulation/virtual-time.ts'
import { alertReceiver } from './support/alert-receiver.ts'
import { eventually } from './support/eventually.ts'
import { scrape } from './support/metrics.ts'
import { createSetTime } from './support/set-time.ts'

const RUNNING = { version: VERSION, commit: COMMIT }

test('a lane that is stuck although it could send makes the gateway not ready, and raises an alert', async () => {
  const time = createSetTime()
  const { pace, open } = createShutPace()
  const { env, alertsOf } = await alertReceiver()
  const { app, client, asAdmin } = await testApp({ env, time, app: { lanePace: pace } })
  const ready = async () => {
    const { statusCode, body } = await app.inject(healthReady.path)
    return { statusCode, ...JSON.parse(body) }
  }
  const { headers } = await client()
  const payload = {
    ...{ symbol: 'BTC_USDT', side: 'BUY', type: 'LIMIT', quantity: '0.01', price: '50000' },
  }
  const order = app.inject({ method: 'POST', url: mxSubmitOrder.path, headers, payload })
  const queued = async () =>
    (await scrape(app)).value('sluice_queue_length', { exchange: 'mx', class: 'lookup' })
  await eventually(async () => expect(await queued()).toBe(1))
  await time.advance(1000)
  const isReady = { ...RUNNING, statusCode: 200, status: 'ready', reasons: [] }
  expect(await ready()).toEqual(isReady)

  await time.advance(5000)
  const reason = 'Requests wait, MEXC could take one, and none is sent: restart the gateway'
  const isStuck = { ...RUNNING, statusCode: 503, status: 'not-ready', reasons: [reason] }
  expect(await ready()).toEqual(isStuck)
  await eventually(() => expect(alertsOf('exchange.stuck')).toEqual(['raised mx']))
  const { value } = await scrape(app)
  expect(value('sluice_exchange_state', { exchange: 'mx', state: 'stuck' })).toBe(1)
  const shown = await app.inject({ url: getStats.path, headers: asAdmin })
  expect(shown.json().exchanges).toMatchObject([{ state: 'broken', reason }, { state: 'running' }])

  open()
  let statusCode: number | undefined
  order.then((response) => (statusCode = response.statusCode))
  await eventually(async () => {
    await time.advance(100)
    expect(statusCode).toBe(200)
  })
  expect(await ready()).toEqual(isReady)
  await eventually(() => expect(alertsOf('exchange.stuck')).toEqual(['raised mx', 'cleared mx']))
})
