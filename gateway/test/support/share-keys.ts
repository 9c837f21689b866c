import { type ExchangeCode, saveApiKey } from 'schema'
import { expect } from 'vitest'
import { newKeys } from '../app.ts'
import type { Bot } from './bot-of.ts'

/** The keys that a bot has had from the start. */
export function keysOf({ keys }: Pick<Bot, 'keys'>, exchange: ExchangeCode) {
  const [mexcKey = '', mexcSecret = '', apiKey = '', apiSecret = '', passphrase = ''] = keys
  return exchange === 'mx'
    ? { apiKey: mexcKey, apiSecret: mexcSecret }
    : { apiKey, apiSecret, passphrase }
}

/** A second key of a bot's own account, other ones in each call. */
export function secondKeys(
  { paper, clientId }: Pick<Bot, 'paper' | 'clientId'>,
  exchange: ExchangeCode,
) {
  const keys = newKeys(exchange)
  paper.accounts.addKey(exchange, `${clientId}-${exchange}`, keys)
  return keys
}

/** Stores keys for a bot in place of those that it has. */
export async function storeKeys(
  { call, clientId }: Pick<Bot, 'call' | 'clientId'>,
  exchange: ExchangeCode,
  keys: ReturnType<typeof keysOf>,
): Promise<void> {
  const { status, text } = await call(saveApiKey, { body: { clientId, exchange, ...keys } })
  expect(status, text).toBe(201)
}

/** Stores the keys of one bot for another one too. */
export async function shareKeys(from: Bot, to: Bot): Promise<void> {
  for (const exchange of ['mx', 'bg'] as const)
    await storeKeys(to, exchange, keysOf(from, exchange))
}
