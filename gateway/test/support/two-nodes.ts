import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { copyFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import type { FastifyInstance } from 'fastify'
import { onTestFinished } from 'vitest'
import type { PaperExchange } from '../../paper-exchange/src/paper-exchange.ts'
import { buildApp } from '../../src/app.ts'
import type { Owners } from '../../src/nodes/owners.ts'
import { LOWEST_COST, type TestClient, testApp, testConfig } from '../app.ts'
import { type CuttingProxy, startCuttingProxy } from './cutting-proxy.ts'
import { tempFolder } from './temp-folder.ts'

export interface TwoNodes {
  /** The node that the bots of these tests talk to; its address has a port of its own. */
  readonly asked: FastifyInstance
  readonly askedUrl: string
  /** The node that has MEXC. */
  readonly owner: FastifyInstance
  readonly ownerUrl: string
  /** Which node has each exchange, as the node that is asked knows it; tests change it. */
  readonly known: { mx: ReturnType<Owners['ownerOf']>; bg: ReturnType<Owners['ownerOf']> }
  /** What is between the two. */
  readonly between: CuttingProxy
  readonly paper: PaperExchange
  readonly client: TestClient
  readonly asAdmin: { readonly authorization: string }
  /** Gives the node that is asked the owner's journal, as one database would. */
  shareJournal(): void
}

/**
 * Two gateways with the same master key. Each has a copy of one database, so that both know the
 * same people, clients and tokens: what each writes later, the other does not see.
 */
export async function twoNodes(env: Record<string, string> = {}): Promise<TwoNodes> {
  const folder = tempFolder()
  const masterKey = randomBytes(32).toString('base64')
  const common = { MASTER_KEY: masterKey, ...env }
  const made = await makeDatabase(join(folder, 'first.db'), common)
  const [nodePort, nodePort2] = [await freePort(), await freePort()]
  const between = await startCuttingProxy(nodePort)
  onTestFinished(() => between.refuse())

  async function start(name: string, port: number, owners: Owners) {
    const file = join(folder, `${name}.db`)
    copyFileSync(join(folder, 'first.db'), file)
    const config = {
      ...testConfig(made.paper.url, { ...common, DATABASE_URL: `file:${file}` }),
      node: { url: `https://127.0.0.1:${port}`, listen: { host: '127.0.0.1', port } },
    }
    const app = await buildApp(config, {
      laneStartDelayMs: 0,
      passwordCost: LOWEST_COST,
      reconcile: { callerPausesMs: [0, 10, 20], backgroundPausesMs: [20] },
      keyExpiry: { firstAfterMs: 24 * 3_600_000 },
      newKeyWaitMs: 0,
      owners,
    })
    onTestFinished(() => app.close())
    return { app, url: await app.listen({ host: '127.0.0.1', port: 0 }) }
  }

  const known: TwoNodes['known'] = {
    mx: { nodeId: 'owner', url: `https://127.0.0.1:${between.port}`, fence: 1 },
    bg: 'self',
  }
  const owner = await start('owner', nodePort, {
    ownerOf: (exchange) => (exchange === 'mx' ? 'self' : undefined),
  })
  const asked = await start('asked', nodePort2, { ownerOf: (exchange) => known[exchange] })
  return {
    ...{ asked: asked.app, askedUrl: asked.url, owner: owner.app, ownerUrl: owner.url },
    ...{ known, between, ...made },
    shareJournal() {
      const db = new Database(join(folder, 'asked.db'))
      db.exec(`attach '${join(folder, 'owner.db')}' as owner`)
      db.exec('insert or replace into order_journal select * from owner.order_journal')
      db.close()
    },
  }
}

/** A database with a client and its keys, closed. */
async function makeDatabase(file: string, env: Record<string, string>) {
  const closing: (() => Promise<unknown>)[] = []
  const { paper, client, asAdmin } = await testApp({
    env: { ...env, DATABASE_URL: `file:${file}` },
    onEnd: (close) => closing.push(close),
  })
  const made = { paper, client: await client(), asAdmin }
  const [closePaper, closeApp] = closing
  onTestFinished(async () => void (await closePaper?.()))
  await closeApp?.()
  return made
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
