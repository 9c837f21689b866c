import { mxSubmitOrder } from 'schema'
import { ask } from './ask.ts'
import type { Reached } from './call-gateway.ts'
import { expectThat } from './check.ts'
import { ORDER } from './create-client.ts'

const PAUSE_MS = 700
/** An order that the owner had marked as sent when it was killed stays unknown for a minute. */
const PATIENCE_MS = 120_000

export interface GroupBot {
  /** Waits until it has this many new orders. */
  readonly trades: (count: number) => Promise<void>
  /** @returns how many orders it has. @throws when it could not learn what became of one */
  readonly stop: () => Promise<number>
}

/**
 * Places orders through the proxy, one after the other and each with a key of its own, and tries
 * again until it has an order or knows that it was not placed.
 */
export function startGroupBot({ gatewayUrl, proxy }: Reached, token: string): GroupBot {
  const name = crypto.randomUUID()
  let placed = 0
  let isStopped = false

  async function tryOnce(key: string): Promise<'placed' | 'not placed' | undefined> {
    try {
      const { status, text } = await ask(gatewayUrl + mxSubmitOrder.path, {
        method: mxSubmitOrder.method,
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          'idempotency-key': key,
        },
        body: JSON.stringify(ORDER),
        proxy,
      })
      if (status === 200) return 'placed'
      return text.includes('"outcome":"not-done"') ? 'not placed' : undefined
    } catch {
      return undefined // The connection broke: the same key again.
    }
  }

  async function place(key: string): Promise<void> {
    const endsMs = performance.now() + PATIENCE_MS
    for (;;) {
      const outcome = await tryOnce(key)
      if (outcome === 'placed') placed += 1
      if (outcome !== undefined) return
      expectThat(performance.now() < endsMs, `nobody says what became of the order ${key}`)
      await pause(200)
    }
  }

  const running = (async () => {
    for (let number = 0; !isStopped; number += 1) {
      await place(`${name}-${number}`)
      await pause(PAUSE_MS)
    }
  })()

  return {
    async trades(count) {
      const wanted = placed + count
      while (placed < wanted) await Promise.race([pause(100), running])
    },
    async stop() {
      isStopped = true
      await running
      return placed
    },
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
