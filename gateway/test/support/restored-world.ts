import { randomBytes } from 'node:crypto'
import { copyFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance, InjectOptions } from 'fastify'
import { onTestFinished } from 'vitest'
import type { PaperExchangeOptions } from '../../paper-exchange/src/options.ts'
import { createPaperExchange } from '../../paper-exchange/src/paper-exchange.ts'
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

/**
 * A gateway on a database file, which is backed up and restored, before one paper exchange.
 * @param databaseUrl another database, which the test backs up and restores
 */
export async function restoredWorld(
  options: PaperExchangeOptions = { habits: ACCEPTING },
  databaseUrl?: () => string,
) {
  // Of this machine and of the exchange.
  let aheadMs = 0
  const nowMs = () => Date.now() + aheadMs
  const paper = await createPaperExchange({ ...options, nowMs })
  onTestFinished(() => paper.close())
  const MASTER_KEY = randomBytes(32).toString('base64')
  let folder = tempFolder()
  let app: FastifyInstance | undefined
  const path = () => join(folder, 'sluice.db')
  const config = () =>
    testConfig(paper.url, {
      ...{ DATABASE_URL: databaseUrl?.() ?? `file:${path()}`, MASTER_KEY },
      UPSTREAM_TIMEOUT_SECONDS: '1',
    })

  const running = () => {
    if (app === undefined) throw new Error('The gateway does not run')
    return app
  }
  const stop = async () => {
    await app?.close()
    app = undefined
  }
  onTestFinished(stop)
  const asAdmin = async () => {
    const signedIn = await running().inject({ method: 'POST', url: '/auth/login', payload: ADMIN })
    return { authorization: `Bearer ${signedIn.json().token}` }
  }

  return {
    paper,
    config,
    nowMs,
    asAdmin,
    stop,
    inject: (call: InjectOptions) => running().inject(call),
    async start() {
      app = await buildApp(config(), {
        ...{ time: clockAt(nowMs), laneStartDelayMs: 0, passwordCost: LOWEST_COST },
        reconcile: { callerPausesMs: [0, 10, 20], backgroundPausesMs: [50, 100, 200] },
        keyExpiry: { firstAfterMs: 24 * 3_600_000 },
      })
      await app.ready()
    },
    passMs(ms: number) {
      aheadMs += ms
    },
    async backUp(): Promise<string> {
      const file = join(tempFolder(), 'backup.db')
      await backUp(path(), file)
      return file
    },
    /** Goes on with the files as a killed process leaves them. */
    async kill() {
      const left = tempFolder()
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
      const payload = { clientId, clientSecret }
      const token = async () =>
        (await running().inject({ method: 'POST', url: '/auth/token', payload })).json().token
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
        orders: (exchange: 'mx' | 'bg') =>
          paper.orders(exchange).filter(({ account }) => account === `${clientId}-${exchange}`),
      }
    },
  }
}
