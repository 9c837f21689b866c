import { randomBytes } from 'node:crypto'
import type { ExchangeCode } from 'schema'
import type { PaperExchange } from '../../paper-exchange/src/paper-exchange.ts'
import type { Canaries } from './canaries.ts'
import { bearer, type Headers } from './people.ts'
import { endpointOf, type Product } from './product.ts'
import { oddSecret, PRINTABLE_SIGNS } from './search.ts'

export interface Bot {
  readonly id: string
  readonly clientId: string
  /** Oldest first; both are valid. */
  readonly secrets: readonly string[]
  readonly headers: Headers
  readonly keys: readonly Keys[]
}

export interface Keys {
  readonly exchange: ExchangeCode
  readonly apiKey: string
  readonly apiSecret: string
  readonly passphrase?: string
}

/** A bot with keys for both exchanges and a rotated secret; it gets its token in every way. */
export async function createBot(
  product: Product,
  canaries: Canaries,
  paper: PaperExchange,
  asAdmin: Headers,
  { clientId, unified }: { readonly clientId: string; readonly unified: boolean },
): Promise<Bot> {
  const created = await product.call(endpointOf('createClient'), {
    ...{ headers: asAdmin, body: { clientId, permissions: PERMISSIONS } },
  })
  const { id, clientSecret: old } = created.json
  const keys = (['mx', 'bg'] as const).map((exchange) => plantKeys(canaries, exchange))
  for (const each of keys) {
    paper.accounts.add({
      ...{
        ...each,
        name: `${clientId}-${each.exchange}`,
        unified: unified && each.exchange === 'bg',
      },
      ...{ balances: { USDT: '1000000', BTC: '10' }, futuresBalances: { USDT: '1000000' } },
    })
    await product.call(endpointOf('saveApiKey'), { headers: asAdmin, body: { clientId, ...each } })
  }
  const rotated = await product.call(endpointOf('rotateClientSecret'), {
    ...{ params: { id: String(id) }, headers: asAdmin, body: {} },
  })
  const secrets = [old, rotated.json.clientSecret]
  const tokens: string[] = []
  for (const clientSecret of secrets)
    tokens.push(...(await tokensBy(product, clientId, clientSecret)))
  return { id: String(id), clientId, secrets, keys, headers: bearer(tokens.at(-1) ?? '') }
}

/** Keys that the exchanges reject. */
export async function useUnknownKeys(
  product: Product,
  canaries: Canaries,
  asAdmin: Headers,
): Promise<void> {
  const clientId = 'unknown'
  await product.call(endpointOf('createClient'), { headers: asAdmin, body: { clientId } })
  for (const exchange of ['mx', 'bg'] as const) {
    const body = { clientId, ...plantKeys(canaries, exchange) }
    await product.call(endpointOf('saveApiKey'), { headers: asAdmin, body })
    await product.call(endpointOf('testApiKey'), { headers: asAdmin, body: { clientId, exchange } })
  }
}

/** Asks to save keys that a second admin has to approve. */
export async function requestKeys(
  product: Product,
  canaries: Canaries,
  asAdmin: Headers,
  clientId: string,
): Promise<void> {
  const apiSecret = canaries.plant('keys that wait for approval', oddSecret(PRINTABLE_SIGNS))
  const body = { clientId, exchange: 'mx', apiKey: 'mx0vWaiting', apiSecret }
  await product.call(endpointOf('saveApiKey'), { headers: asAdmin, body })
  await product.call(endpointOf('listApprovals'), { headers: asAdmin })
}

/** Where the headers of a call to an exchange are collected. */
export const TO_EXCHANGE = 'the headers of a call to an exchange'

const PERMISSIONS = ['market', 'account', 'trade', 'settings', 'strategies']

function plantKeys(canaries: Canaries, exchange: ExchangeCode): Keys {
  const sent = { where: TO_EXCHANGE, reason: 'it names the account there' }
  const passphrase = () => canaries.plant('passphrase', oddSecret(PRINTABLE_SIGNS), sent)
  return {
    exchange,
    apiKey: canaries.plant('API key', randomBytes(20).toString('base64url'), sent),
    apiSecret: canaries.plant('API secret', oddSecret(PRINTABLE_SIGNS)),
    ...(exchange === 'bg' ? { passphrase: passphrase() } : {}),
  }
}

async function tokensBy(product: Product, clientId: string, clientSecret: string) {
  const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64')
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const grant = { grant_type: 'client_credentials' }
  const body = new URLSearchParams({ ...grant, client_id: clientId, client_secret: clientSecret })
  const oauth = endpointOf('oauthToken')
  const swapped = { clientId: clientSecret, clientSecret: clientId }
  await product.call(endpointOf('getToken'), { body: swapped })
  return [
    await product.call(endpointOf('getToken'), { body: { clientId, clientSecret } }),
    await product.call(oauth, { headers: form, body: body.toString() }),
    await product.call(oauth, {
      headers: { ...form, authorization: `Basic ${basic}` },
      body: new URLSearchParams(grant).toString(),
    }),
  ].map(({ json }) => json.accessToken ?? json.token ?? json.access_token)
}
