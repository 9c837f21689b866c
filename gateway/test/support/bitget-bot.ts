import type { LightMyRequestResponse } from 'fastify'
import type { AccountKind, Endpoint } from 'schema'
import { expect } from 'vitest'
import type { TestApp } from '../app.ts'
import { type Bot, botOf } from './bot-of.ts'

const PERMISSIONS = ['market', 'account', 'trade', 'settings'] as const

/** A bot on a Bitget account of a kind, which the gateway does not know yet. */
export async function bitgetBot(t: TestApp, kind: AccountKind): Promise<Bot> {
  return botOf({
    ...t,
    client: (name) => t.client(name, { unified: kind === 'unified', permissions: PERMISSIONS }),
  })
}

export const spotOrder = {
  ...{ symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', size: '0.001', price: '50000' },
}
export const futuresOrder = {
  ...{ symbol: 'BTCUSDT', marginMode: 'crossed', side: 'buy', orderType: 'limit', size: '0.01' },
  price: '50000',
}

export type Row = Record<string, unknown>

/** The data of a documented response, which has to be a success. */
export const dataOf = (response: LightMyRequestResponse): Row & Row[] => {
  expect(response.json(), response.body).toMatchObject({ success: true })
  return response.json().data
}

/** The address of a documented read. */
export const query = (endpoint: Endpoint, values: Record<string, string | number>) =>
  `${endpoint.path}?${new URLSearchParams(
    Object.entries(values).map(([name, value]): [string, string] => [name, `${value}`]),
  )}`
