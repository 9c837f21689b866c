import type { LightMyRequestResponse } from 'fastify'
import type { ExchangeCode } from 'schema'
import { expect } from 'vitest'
import type { PaperExchangeOptions } from '../../paper-exchange/src/engine.ts'
import type { TestClientOptions } from '../app.ts'
import { type Bot, botOf } from './bot-of.ts'
import { eventually } from './eventually.ts'
import { sharedApp } from './shared-app.ts'

/**
 * One app for a file about calls that get lost, before exchanges whose clock a test puts forward:
 * an order that is nowhere was not placed a minute later.
 */
export function lostOrders(
  habits: PaperExchangeOptions['habits'] = {},
  backgroundPausesMs: readonly number[] = [50, 100, 200, 5_000],
) {
  let aheadMs = 0
  const reconcile = { callerPausesMs: [0, 10, 20], backgroundPausesMs }
  const shared = sharedApp({
    paper: { nowMs: () => Date.now() + aheadMs, habits },
    app: { reconcile },
  })
  const passMinutes = (minutes: number) => {
    aheadMs += minutes * 60_000 + 1_000
  }
  return {
    shared,
    passMinutes,
    /** A bot before exchanges that behave, and whose time the gateway knows. */
    async newBot(options?: TestClientOptions): Promise<Bot> {
      shared().paper.faults.clear()
      const bot = await botOf(shared(), options)
      await bot.get('/mx/api/v1/private/order/list/open_orders')
      await bot.get('/bg/api/v2/spot/account/assets')
      shared().paper.clearReceived()
      return bot
    },
    /** The next call is lost: on its way there, or its response on the way back. */
    lose(when: 'before' | 'after', exchange: ExchangeCode, path?: string) {
      const match = { exchange, ...(path === undefined ? { method: 'POST' } : { path }) }
      shared().paper.faults.add({ kind: `reset-${when}`, match })
    },
    /** Resolves once the outcome is known, a minute later by the exchange's clock. */
    async aMinuteLater(bot: Bot, lost: LightMyRequestResponse): Promise<Record<string, unknown>> {
      passMinutes(1)
      return eventually(async () => {
        const request = await bot.requestOf(lost)
        expect(request).toMatchObject({ state: 'resolved' })
        return request
      })
    },
  }
}
