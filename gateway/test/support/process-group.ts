import { randomBytes } from 'node:crypto'
import { expect, onTestFinished, vi } from 'vitest'
import { testApp } from '../app.ts'
import { type Gateway, type GatewayExit, MAIN, spawnGateway } from '../campaign/gateway.ts'
import { eventually } from './eventually.ts'
import { freePort } from './free-port.ts'
import { createDatabase } from './postgres.ts'

/** An upper bound for a busy machine; nothing waits for it to pass. */
const START_MS = 90_000

interface NodeStart {
  /** What Node runs; default: what `npm start` runs. */
  readonly entry?: string
  readonly env?: Readonly<Record<string, string>>
}

/**
 * Gateways as processes on one database, with a client whose keys are stored. They end with the
 * test.
 */
export async function processGroup(settings: Readonly<Record<string, string>> = {}) {
  const databaseUrl = await createDatabase()
  const env = {
    ...{ DATABASE_URL: databaseUrl, MASTER_KEY: randomBytes(32).toString('base64') },
    ...settings,
  }
  const { app, paper, client } = await testApp({ env })
  const { headers } = await client()
  await app.close()

  const running = new Map<string, Gateway>()
  let owner = ''
  onTestFinished(async () => {
    for (const gateway of running.values()) gateway.signal('SIGKILL')
    await Promise.all([...running.values()].map((gateway) => gateway.ended))
  })
  return {
    ...{ databaseUrl, paper, headers },
    /** Which of them became the owner of the exchanges last. */
    owner: () => owner,
    /** @returns its URL, once it is ready */
    async start(name: string, { entry = MAIN, env: own = {} }: NodeStart = {}): Promise<string> {
      const gateway = spawnGateway({
        entry,
        env: {
          ...{ PATH: process.env.PATH ?? '', ...env },
          ...{ MEXC_SPOT_URL: paper.url, MEXC_FUTURES_URL: paper.url, BITGET_URL: paper.url },
          ACCOUNT_STREAMS: 'off',
          ...{ NODE_URL: `https://127.0.0.1:${await freePort()}`, ...own },
        },
        onLine(line) {
          // A former owner logs the name of the node that followed it, and maybe later than that.
          if (line.includes('this node is the owner of the exchanges now')) owner = name
        },
      })
      running.set(name, gateway)
      const url = await gateway.url
      await vi.waitFor(
        async () => {
          expect((await fetch(`${url}/health/ready`)).status).toBe(200)
          expect(owner).not.toBe('')
        },
        { timeout: START_MS },
      )
      return url
    },
    /** Settles when a node has ended. */
    ended: (name: string): Promise<GatewayExit> | undefined => running.get(name)?.ended,
    /** Ends a node, and waits until it is not the owner. */
    async stop(name: string, signal: 'SIGKILL' | 'SIGTERM' = 'SIGTERM'): Promise<void> {
      const gateway = running.get(name)
      gateway?.signal(signal)
      const exit = await gateway?.ended
      if (signal === 'SIGTERM') expect(exit).toMatchObject({ code: 0 })
      running.delete(name)
      await eventually(() => expect(owner).not.toBe(name))
    },
  }
}
