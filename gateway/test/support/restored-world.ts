import { randomBytes } from 'node:crypto'
import { copyFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance, InjectOptions } from 'fastify'
import { onTestFinished } from 'vitest'
import { createPaperExchange, type PaperExchange } from '../../paper-exchange/src/paper-exchange.ts'
import { buildApp } from '../../src/app.ts'
import { backUp } from '../../src/store/sqlite/backup.ts'
import { createAccount, LOWEST_COST, testConfig } from '../app.ts'
import { ADMIN } from './admin.ts'
import { clockAt } from './clock-at.ts'
import { tempFolder } from './temp-folder.ts'

/** The exchanges accept a client order id again, also while its order is open. */
export const ACCEPTING = {
  mexcSpotDuplicates: 'accept',
  mexcFuturesDuplicates: 'accept',
  bitgetDuplicates: 'accept',
} as const

export interface Call {
  readonly url: string
  /** Sent as JSON; a text as it is. */
  readonly payload?: object | string
}

export interface RestoredWorldOptions {
  /** Another database, which the test backs up and restores. */
  readonly databaseUrl?: () => string
  /** Receives the functions that close it; by default it closes with the test. */
  readonly onEnd?: (close: () => void | Promise<void>) => void
}

/** A gateway on a database file, which is backed up and restored, before one paper exchange. */
export async function restoredWorld({
  databaseUrl,
  onEnd = onTestFinished,
}: RestoredWorldOptions = {}) {
  // Of this machine and of the exchange.
  let aheadMs = 0
  const nowMs = () => Date.now() + aheadMs
  // Its own rate limits are not what is tested.
  const monotonicMs = () => performance.now() * 1_000
  const paper = await createPaperExchange({ habits: ACCEPTING, nowMs, monotonicMs })
  onEnd(() => paper.close())
  const MASTER_KEY = randomBytes(32).toString('base64')
  let folder = tempFolder(onEnd)
  let app: FastifyInstance | undefined
  const path = () => join(folder, 'sluice.db')
  const config = () =>
    testConfig(paper.url, { DATABASE_URL: databaseUrl?.() ?? `file:${path()}`, MASTER_KEY })

  const running = () => {
    if (app === undefined) throw new Error('The gateway does not run')
    return app
  }
  const stop = async () => {
    await app?.close()
    app = undefined
  }
  onEnd(stop)
  const tokens = createTokens(running)
  const asAdmin = async () => ({ authorization: `Bearer ${await tokens.of('/auth/login', ADMIN)}` })

  return {
    ...{ paper, config, nowMs, asAdmin, stop },
    inject: (call: InjectOptions) => running().inject(call),
    async start() {
      tokens.clear()
      app = await buildApp(config(), {
        ...{ time: clockAt(nowMs), laneStartDelayMs: 0, passwordCost: LOWEST_COST },
        reconcile: { callerPausesMs: [0, 10, 20], backgroundPausesMs: [50, 100, 200] },
        keyExpiry: { firstAfterMs: 24 * 3_600_000 },
      })
      await app.ready()
    },
    passMs(ms: number) {
      tokens.clear()
      aheadMs += ms
    },
    async backUp(): Promise<string> {
      const file = join(tempFolder(onEnd), 'backup.db')
      await backUp(path(), file)
      return file
    },
    /** Continues with the files as a killed process leaves them. */
    async kill() {
      const left = tempFolder(onEnd)
      for (const part of ['', '-wal'])
        if (existsSync(`${path()}${part}`))
          copyFileSync(`${path()}${part}`, join(left, `sluice.db${part}`))
      await stop()
      folder = left
    },
    async resume() {
      const url = '/api/admin/resume'
      return running().inject({ method: 'POST', url, headers: await asAdmin(), payload: {} })
    },
    /** A client with keys for both exchanges. */
    async bot(clientId: string, unified = false) {
      const headers = await asAdmin()
      const admin = (url: string, payload: object) =>
        running().inject({ method: 'POST', url: `/api/admin/${url}`, headers, payload })
      const permissions = ['market', 'account', 'trade', 'settings']
      const created = await admin('client-credentials', { clientId, permissions })
      const { clientSecret } = created.json()
      for (const exchange of ['mx', 'bg'] as const)
        await admin('client-api-keys', {
          ...{ clientId, exchange, ...createAccount(paper, exchange, clientId, unified) },
        })
      const token = () => tokens.of('/auth/token', { clientId, clientSecret })
      return {
        clientId,
        /** With a new token, as a bot has it after a restore. */
        async send({ url, payload }: Call, key?: string) {
          return running().inject({
            ...{ method: 'POST', url },
            headers: {
              authorization: `Bearer ${await token()}`,
              ...(key === undefined ? {} : { 'idempotency-key': key }),
              ...(typeof payload === 'string' ? { 'content-type': 'application/json' } : {}),
            },
            ...(payload === undefined ? {} : { payload }),
          })
        },
        async get(url: string) {
          const authorization = `Bearer ${await token()}`
          return running().inject({ url, headers: { authorization } })
        },
        ...seenOf(paper, clientId),
      }
    },
  }
}

/** What the exchanges saw of a client. */
function seenOf(paper: PaperExchange, clientId: string) {
  return {
    orders: (exchange: 'mx' | 'bg') =>
      paper.orders(exchange).filter(({ account }) => account === `${clientId}-${exchange}`),
    /** Signed calls that arrived. */
    received: (method: 'GET' | 'POST') =>
      paper
        .received()
        .filter((each) => each.method === method && each.account?.startsWith(`${clientId}-`)),
  }
}

/** Tokens are used again until the gateway starts anew or time passes: issuing them is limited. */
function createTokens(app: () => FastifyInstance) {
  const tokens = new Map<string, Promise<string>>()
  async function issue(url: string, payload: object): Promise<string> {
    return (await app().inject({ method: 'POST', url, payload })).json().token
  }
  return {
    clear: () => tokens.clear(),
    of(url: string, payload: object): Promise<string> {
      const who = JSON.stringify(payload)
      const token = tokens.get(who) ?? issue(url, payload)
      tokens.set(who, token)
      return token
    },
  }
}
