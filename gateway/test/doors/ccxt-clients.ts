import { bitget, type Exchange, mexc } from 'ccxt'
import type { TestClient } from '../app.ts'
import { PLACEHOLDER } from './sluice.ts'

export const ACCOUNTS = ['MEXC', 'classic', 'unified'] as const
export type Account = (typeof ACCOUNTS)[number]

export const spot = 'BTC/USDT'
export const perpetual = 'BTC/USDT:USDT'

/** The markets are the same for all clients of an exchange: they are loaded once. */
const markets = new Map<Account, Promise<unknown[]>>()

/**
 * ccxt for a bot as it comes, but for its addresses, its keys, a header and options.
 * @param detects whether ccxt finds out itself which kind of account the bot has at Bitget
 */
export async function ccxtOf(
  url: string,
  bot: TestClient,
  account: Account,
  detects = false,
): Promise<Exchange> {
  const exchange = newCcxt(url, bot, account, detects)
  if (detects) return exchange
  const loading = markets.get(account) ?? exchange.loadMarkets().then(Object.values)
  markets.set(account, loading)
  exchange.setMarkets(await loading)
  return exchange
}

/** The same, before it has loaded any markets. */
export function newCcxt(
  url: string,
  { headers: { authorization } }: TestClient,
  account: Account,
  detects = false,
): Exchange {
  return pointed(
    new (account === 'MEXC' ? mexc : bitget)({
      ...{ apiKey: PLACEHOLDER, secret: PLACEHOLDER, password: PLACEHOLDER },
      headers: { Authorization: authorization },
      ...(detects || account === 'MEXC' ? {} : { options: { uta: account === 'unified' } }),
      // ccxt keeps a pace of its own; the pace that counts here is the gateway's.
      enableRateLimit: false,
      // Nothing waits for it to pass: on a busy machine several calls at once can take long.
      timeout: 100_000,
    }),
    `${url}/${account === 'MEXC' ? 'mx' : 'bg'}`,
  )
}

// The same addresses with another origin: `https://api.mexc.com/api/v3` becomes `url/api/v3`.
export function pointed(exchange: Exchange, url: string): Exchange {
  const addresses = JSON.stringify(exchange.urls.api).replaceAll(/https:\/\/[^/"]+/g, url)
  exchange.urls.api = JSON.parse(addresses)
  return exchange
}
