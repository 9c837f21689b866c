import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { getToken } from 'schema'
import { expect, test } from 'vitest'
import { testApp } from './app.ts'
import { tempFolder } from './support/temp-folder.ts'

const FLOOD = fileURLToPath(new URL('support/flood.js', import.meta.url))
const ORDERS = 20
/** The exchange takes ten orders a second from an account. */
const PAUSE_MS = 110

/** The gateway on a real disk, a client that trades, and another one that may flood it. */
async function busyGateway(env: Record<string, string>) {
  const t = await testApp({ env: { DATABASE_URL: `file:${tempFolder()}/sluice.db`, ...env } })
  await t.app.listen({ port: 0 })
  const { port } = t.app.server.address() as AddressInfo
  const origin = `http://127.0.0.1:${port}`
  const [trader, flooder] = [await t.client(), await t.client()]
  const order = {
    ...{ symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', force: 'gtc' },
    ...{ price: '50000', size: '0.001' },
  }
  const place = async () => {
    const startedMs = performance.now()
    const response = await fetch(`${origin}/api/bg/v1/spot/trade/place-order`, {
      method: 'POST',
      headers: { ...trader.headers, 'content-type': 'application/json' },
      body: JSON.stringify(order),
    })
    await response.text()
    expect(response.status).toBe(200)
    return performance.now() - startedMs
  }
  return {
    /** The median time of an order, in ms. */
    async orderMs() {
      const times: number[] = []
      for (let n = 0; n < ORDERS; n += 1) {
        await sleep(PAUSE_MS)
        times.push(await place())
      }
      return times.toSorted((a, b) => a - b)[ORDERS / 2] ?? Number.NaN
    },
    async underFlood<T>(work: () => Promise<T>): Promise<T> {
      const { clientId, clientSecret } = flooder
      const flood = spawn(process.execPath, [
        ...[FLOOD, '16', `${origin}${getToken.path}`],
        JSON.stringify({ clientId, clientSecret }),
        JSON.stringify({ 'content-type': 'application/json' }),
      ])
      await once(flood, 'spawn')
      try {
        return await work()
      } finally {
        flood.kill()
        await once(flood, 'exit')
      }
    },
  }
}

// 393 tokens a second made an order take 86 ms instead of 10.
test("a client that asks for tokens in a loop delays others' orders only a little", async () => {
  const open = await busyGateway({ CLIENT_TOKENS_PER_MINUTE: '0' })
  const bounded = await busyGateway({})
  for (const { orderMs } of [open, bounded]) await orderMs()
  const quietMs = await bounded.orderMs()
  const openMs = await open.underFlood(open.orderMs)
  const boundedMs = await bounded.underFlood(bounded.orderMs)
  // On an idle machine 10, 23 and 10 ms.
  expect(boundedMs - quietMs).toBeLessThan((openMs - quietMs) / 2)
})
