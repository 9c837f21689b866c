import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ExchangeCode } from 'schema'
import type { PaperControl } from '../../paper-exchange/src/control.ts'
import { ADMIN } from '../support/admin.ts'

export { ADMIN }

/** What a bot needs to get in, and who it is. */
export interface BotClient {
  readonly id: number
  readonly clientId: string
  readonly clientSecret: string
}

/**
 * Makes a client with money and keys at both paper exchanges, as an administrator does; on Bitget a
 * unified account if `unified`. Without `limits` it may trade as much as it likes.
 */
export async function createBotClient(
  url: string,
  accounts: PaperControl['accounts'],
  clientId: string,
  { unified = false, limits }: { readonly unified?: boolean; readonly limits?: object } = {},
): Promise<BotClient> {
  const headers = await adminHeader(url)
  const made = await post(`${url}/api/admin/client-credentials`, { clientId }, headers)
  for (const exchange of ['mx', 'bg'] as const) {
    const keys = createAccount(accounts, exchange, clientId, unified)
    await post(`${url}/api/admin/client-api-keys`, { clientId, exchange, ...keys }, headers)
  }
  if (limits !== undefined)
    await post(`${url}/api/admin/client-credentials/${made.id}/limits`, limits, headers, 'PUT')
  return { id: Number(made.id), clientId, clientSecret: String(made.clientSecret) }
}

const TRIES_MAX = 3
/** With a second between two of them. */
const SIGN_INS_MAX = 30

/**
 * Makes a client at one of several gateways, which may end during it: another one then makes it,
 * under another name, because the first one may have made it.
 * @param url of a gateway that is ready
 */
export async function createBotClientAt(
  url: () => Promise<string>,
  accounts: PaperControl['accounts'],
  clientId: string,
  options: Parameters<typeof createBotClient>[3],
): Promise<BotClient> {
  for (let tries = 1; ; tries += 1)
    try {
      const name = tries === 1 ? clientId : `${clientId}-${tries}`
      return await createBotClient(await url(), accounts, name, options)
    } catch (error) {
      if (tries === TRIES_MAX) throw error
    }
}

/**
 * The header of a signed-in administrator, who tries again for half a minute while the gateway
 * responds with 5xx: it may lack its database for some seconds. One that has ended is not asked
 * again.
 */
export async function adminHeader(url: string): Promise<{ authorization: string }> {
  for (let tries = 1; ; tries += 1)
    try {
      const { token } = await post(`${url}/auth/login`, ADMIN)
      return { authorization: `Bearer ${token}` }
    } catch (error) {
      const isTemporary = error instanceof ResponseError && error.status >= 500
      if (!isTemporary || tries === SIGN_INS_MAX) throw error
      await sleep(1_000)
    }
}

/** A header with a new token. @throws when the gateway gives none */
export async function signIn(
  url: string,
  { clientId, clientSecret }: BotClient,
): Promise<{ authorization: string }> {
  const { accessToken, token } = await post(`${url}/auth/token`, { clientId, clientSecret })
  return { authorization: `Bearer ${accessToken ?? token}` }
}

function createAccount(
  accounts: PaperControl['accounts'],
  exchange: ExchangeCode,
  owner: string,
  unified: boolean,
) {
  const keys = {
    apiKey: `${exchange}-${randomBytes(8).toString('hex')}`,
    apiSecret: randomBytes(16).toString('hex'),
    ...(exchange === 'bg' ? { passphrase: randomBytes(6).toString('hex') } : {}),
  }
  const money = { USDT: '100000000', BTC: '10' }
  const name = accountName(owner, exchange)
  accounts.add({
    ...{ exchange, name, ...keys, balances: money, futuresBalances: money },
    unified: unified && exchange === 'bg',
  })
  return keys
}

/** How the paper exchange calls a client's account. */
export const accountName = (clientId: string, exchange: ExchangeCode) => `${clientId}-${exchange}`

class ResponseError extends Error {
  readonly status: number

  constructor(message: string, status: number) {
    super(message)
    this.status = status
  }
}

/** @throws ResponseError for another status than 2xx */
export async function post(
  url: string,
  body: object,
  headers: Record<string, string> = {},
  method: 'POST' | 'PUT' = 'POST',
): Promise<Record<string, unknown>> {
  const response = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  if (!response.ok)
    throw new ResponseError(
      `${url} responded with ${response.status}: ${await response.text()}`,
      response.status,
    )
  return (await response.json()) as Record<string, unknown>
}
