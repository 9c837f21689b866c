import { randomBytes } from 'node:crypto'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import type { FastifyInstance } from 'fastify'
import { onTestFinished } from 'vitest'
import type { PaperExchange } from '../../paper-exchange/src/paper-exchange.ts'
import { type AppOptions, buildApp } from '../../src/app.ts'
import type { OwnerView, RemoteOwner } from '../../src/nodes/ownership.ts'
import { LOWEST_COST, type TestClient, testApp, testConfig } from '../app.ts'
import { type Call, callOf } from './call.ts'
import { type CuttingProxy, startCuttingProxy } from './cutting-proxy.ts'
import { freePort } from './free-port.ts'
import { createSetTime, type SetTime } from './set-time.ts'
import { tempFolder } from './temp-folder.ts'

export interface TwoNodes {
  /** The node that the bots of these tests talk to; its address has a port of its own. */
  readonly asked: FastifyInstance
  readonly askedUrl: string
  readonly owner: FastifyInstance
  readonly ownerUrl: string
  /** Which node is the owner, as each node knows it; tests change it. */
  readonly known: Record<'asked' | 'owner', ReturnType<OwnerView['owner']>>
  /** How each node reaches the other one. */
  readonly remote: Record<'asked' | 'owner', RemoteOwner>
  /** What is between the two. */
  readonly between: CuttingProxy
  /** Of both nodes and of the paper exchange. */
  readonly time: SetTime
  readonly paper: PaperExchange
  readonly client: TestClient
  readonly asAdmin: { readonly authorization: string }
  /** Calls an endpoint at a node. */
  readonly call: Record<'asked' | 'owner', Call>
  /** Gives one node the journal of the other, as one database would. */
  shareJournal(from: 'asked' | 'owner'): void
  /** How many orders in the journal of a node have no end and were not handed over. */
  openOrders(of: 'asked' | 'owner'): number
}

/**
 * Two gateways with the same master key. Each has a copy of one database, so that both know the
 * same people, clients and tokens: what each writes later, the other does not see.
 */
export async function twoNodes(
  env: Record<string, string> = {},
  options: AppOptions = {},
  onEnd: (close: () => unknown) => void = (close) =>
    onTestFinished(async () => void (await close())),
): Promise<TwoNodes> {
  const folder = tempFolder(onEnd)
  const masterKey = randomBytes(32).toString('base64')
  const common = { MASTER_KEY: masterKey, ...env }
  const time = createSetTime()
  const made = await makeDatabase(join(folder, 'first.db'), common, time, onEnd)
  const [nodePort, nodePort2] = [await freePort(), await freePort()]
  const between = await startCuttingProxy(nodePort)
  onEnd(() => between.refuse())

  async function start(name: string, port: number, ownerView: OwnerView) {
    const file = join(folder, `${name}.db`)
    copyFileSync(join(folder, 'first.db'), file)
    const config = {
      ...testConfig(made.paper.url, { ...common, DATABASE_URL: `file:${file}` }),
      node: { url: `https://127.0.0.1:${port}`, listen: { host: '127.0.0.1', port } },
    }
    const app = await buildApp(config, {
      ...{ laneStartDelayMs: 0, passwordCost: LOWEST_COST },
      reconcile: { callerPausesMs: [0, 10, 20], backgroundPausesMs: [20] },
      ...{ keyExpiry: { firstAfterMs: 24 * 3_600_000 }, newKeyWaitMs: 0, time },
      ...options,
      ownerView,
    })
    onEnd(() => time.fly(app.close()))
    return { app, url: await app.listen({ host: '127.0.0.1', port: 0 }) }
  }

  const remote: TwoNodes['remote'] = {
    owner: { nodeId: 'owner', url: `https://127.0.0.1:${between.port}`, fence: 1 },
    asked: { nodeId: 'asked', url: `https://127.0.0.1:${nodePort2}`, fence: 2 },
  }
  const known: TwoNodes['known'] = { owner: 'self', asked: remote.owner }
  const ownerView = (name: 'owner' | 'asked'): OwnerView => ({
    owner: () => known[name],
    node: { nodeId: name },
  })
  const owner = await start('owner', nodePort, ownerView('owner'))
  const asked = await start('asked', nodePort2, ownerView('asked'))
  return {
    ...{ asked: asked.app, askedUrl: asked.url, owner: owner.app, ownerUrl: owner.url },
    ...{ known, remote, between, time, ...made },
    call: { asked: callOf(asked.app, made.asAdmin), owner: callOf(owner.app, made.asAdmin) },
    openOrders(of) {
      const db = new Database(join(folder, `${of}.db`), { readonly: true })
      const open = db
        .prepare(
          "select count(*) from order_journal where state in ('queued', 'sent', 'unknown') and handed_over_at_ms is null",
        )
        .pluck()
        .get()
      db.close()
      return Number(open)
    },
    shareJournal(from) {
      const db = new Database(join(folder, from === 'owner' ? 'asked.db' : 'owner.db'))
      db.exec(`attach '${join(folder, `${from}.db`)}' as other`)
      db.exec('insert or replace into order_journal select * from other.order_journal')
      db.close()
    },
  }
}

/** A database with a client and its keys, closed. */
async function makeDatabase(
  file: string,
  env: Record<string, string>,
  time: SetTime,
  onEnd: (close: () => unknown) => void,
) {
  const { app, paper, client, asAdmin } = await testApp({
    // Nothing waits for its pace.
    env: { ...env, DATABASE_URL: `file:${file}`, RATE_LIMIT_PER_SECOND: '1000' },
    ...{ onEnd, paper: { nowMs: time.now, monotonicMs: time.monotonic } },
  })
  const made = { paper, client: await client(), asAdmin }
  await app.close()
  return made
}
