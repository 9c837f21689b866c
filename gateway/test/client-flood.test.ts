import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { getToken } from 'schema'
import { expect, test } from 'vitest'
import { testApp } from './app.ts'
import { scrape } from './support/metrics.ts'
import { onDisk } from './support/on-disk.ts'

// 393 tokens a second made an order take 86 ms instead of 10. What is counted is what that costs:
// the tokens that are made, each of which is signed and stored.

const FLOOD = fileURLToPath(new URL('support/flood.js', import.meta.url))
const ORDERS = 20
const TOKENS_PER_MINUTE = 20

/** The gateway on a real disk, a client that trades, and another one that may flood it. */
async function busyGateway(tokensPerMinute: number) {
  const t = await testApp({
    env: { ...onDisk().env, CLIENT_TOKENS_PER_MINUTE: `${tokensPerMinute}` },
    // The exchange takes ten orders a second from an account, by a clock that runs faster here.
    paper: { monotonicMs: () => performance.now() * 1_000 },
  })
  const flooder = await t.client()
  return { ...t, flooder, trader: await t.client(), origin: await t.app.listen({ port: 0 }) }
}

test("a client that asks for tokens in a loop gets few of them, and others' orders are placed", async () => {
  const t = await busyGateway(TOKENS_PER_MINUTE)
  const { clientId, clientSecret } = t.flooder
  const count = async (name: string, labels: Record<string, string>) =>
    (await scrape(t.app)).value(name, labels) ?? 0
  const made = () => count('sluice_sign_ins_total', { kind: 'client', result: 'ok' })
  const refused = () => count('sluice_http_errors_total', { code: 'CLIENT_TOKENS_EXCEEDED' })
  const before = await made()
  const beganMs = Date.now()
  const flood = spawn(process.execPath, [
    ...[FLOOD, '16', `${t.origin}${getToken.path}`],
    JSON.stringify({ clientId, clientSecret }),
    JSON.stringify({ 'content-type': 'application/json' }),
  ])
  try {
    await expect.poll(refused, { timeout: 60_000 }).toBeGreaterThan(20)
    for (let n = 0; n < ORDERS; n += 1) {
      const response = await fetch(`${t.origin}/api/bg/v1/spot/trade/place-order`, {
        method: 'POST',
        headers: { ...t.trader.headers, 'content-type': 'application/json' },
        body: JSON.stringify({
          ...{ symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', force: 'gtc' },
          ...{ price: '50000', size: '0.001' },
        }),
      })
      expect(response.status, await response.text()).toBe(200)
    }
    const minutes = 1 + Math.ceil((Date.now() - beganMs) / 60_000)
    expect((await made()) - before).toBeLessThanOrEqual(minutes * TOKENS_PER_MINUTE)
  } finally {
    flood.kill()
    await once(flood, 'exit')
  }
})
