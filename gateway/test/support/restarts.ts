import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createPaperExchange } from '../../paper-exchange/src/paper-exchange.ts'
import { MAIN, spawnGateway } from '../campaign/gateway.ts'
import { ADMIN } from './admin.ts'
import { tempFolder } from './temp-folder.ts'

/** Processes of the gateway, one after the other, on one database and one paper exchange. */
export async function restarts(settings: Readonly<Record<string, string>> = {}) {
  const paper = await createPaperExchange()
  onTestFinished(() => paper.close())
  const sockets = paper.url.replace('http', 'ws')
  const databasePath = join(tempFolder(), 'sluice.db')
  const env = {
    DATABASE_URL: `file:${databasePath}`,
    MASTER_KEY: randomBytes(32).toString('base64'),
    ...{ ADMIN_EMAIL: ADMIN.email, ADMIN_PASSWORD: ADMIN.password },
    ...{ MEXC_SPOT_URL: paper.url, MEXC_FUTURES_URL: paper.url, BITGET_URL: paper.url },
    ...{ MEXC_SPOT_WS_URL: sockets, MEXC_FUTURES_WS_URL: sockets, BITGET_WS_URL: sockets },
    ACCOUNT_STREAMS: 'off',
    ...settings,
  }
  /** The process ends with the test at the latest. */
  const spawn = (through: readonly string[] = []) => {
    const gateway = spawnGateway({ entry: MAIN, env, through })
    const end = async (signal: 'SIGKILL' | 'SIGTERM') => {
      gateway.signal(signal)
      await gateway.ended
    }
    onTestFinished(() => end('SIGKILL'))
    return { ...gateway, end }
  }
  const start = async () => {
    const { url, end } = spawn()
    return { kill: () => end('SIGKILL'), url: await url }
  }
  return { paper, spawn, start, databasePath }
}
