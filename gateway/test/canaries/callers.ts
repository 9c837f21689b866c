import { randomBytes } from 'node:crypto'
import type { ExchangeCode } from 'schema'
import type { PaperExchange } from '../../paper-exchange/src/paper-exchange.ts'
import { totpCode } from '../support/totp-app.ts'
import { type Canaries, oddSecret, PRINTABLE_SIGNS } from './canaries.ts'
import type { Product, Reply } from './product.ts'

export type Headers = Readonly<Record<string, string>>

const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` })

const call = (product: Product, id: string, body?: unknown, headers: Headers = {}) =>
  product.call(id, { headers, ...(body === undefined ? {} : { body }) })

export async function signIn(product: Product, email: string, password: string): Promise<Headers> {
  const { json, status } = await call(product, 'login', { email, password })
  if (status !== 200) throw new Error(`${email} could not sign in: ${JSON.stringify(json)}`)
  return bearer(json.token)
}

/** People come, change what they sign in with, use it, and mistake one secret for another. */
export async function usePeople(
  product: Product,
  canaries: Canaries,
  asAdmin: Headers,
): Promise<void> {
  const chosen = canaries.plant('password', oddSecret())
  const changed = canaries.plant('password', oddSecret())
  const email = 'grace@sluice.test'
  await call(product, 'createPerson', { email, role: 'operator', password: chosen }, asAdmin)
  const generated = { email: 'eve@sluice.test', role: 'viewer' }
  const { json } = await call(product, 'createPerson', generated, asAdmin)
  await signIn(product, generated.email, json.password)
  const { id } = json.person
  const reset = await product.call('resetPassword', {
    ...{ params: { id: String(id) }, headers: asAdmin },
  })
  await signIn(product, generated.email, reset.json.password)

  const asGrace = await signIn(product, email, chosen)
  await call(product, 'changePassword', { newPassword: changed }, asGrace)
  const secret = await addApp(product, asGrace)
  const codes = (await call(product, 'createRecoveryCodes', undefined, asGrace)).json.recoveryCodes
  const [first = '', second = ''] = codes
  const wait = async () =>
    (await call(product, 'login', { email, password: changed })).json.signIn.id
  const show = async (shown: object): Promise<Reply> =>
    call(product, 'secondFactor', { signInId: await wait(), ...shown })
  await show({ totp: totpCode(secret, Date.now() + 30_000) })
  await show({ recoveryCode: first })
  // Each secret where another one belongs.
  for (const wrong of [first, secret, changed]) {
    await show({ recoveryCode: wrong })
    await show({ totp: wrong })
    await call(product, 'confirm', { password: wrong }, asGrace)
    await call(product, 'confirm', { recoveryCode: wrong }, asGrace)
    await call(product, 'login', { email: wrong, password: email })
  }
  await call(product, 'confirm', { recoveryCode: second }, asGrace)
  await call(product, 'login', { email, password: chosen })
  await product.call('endSessionsOfPerson', { ...{ params: { id: String(id) }, headers: asAdmin } })
}

/** Adds an authenticator app. @returns its secret, as a person types it */
async function addApp(product: Product, headers: Headers): Promise<string> {
  const { json } = await call(product, 'createTotp', { name: 'Phone' }, headers)
  const bits = Buffer.from(json.secret)
  if (bits.length === 0) throw new Error('There is no secret')
  await product.call('confirmTotp', {
    ...{ params: { id: String(json.id) }, headers, body: { code: totpCode(json.secret) } },
  })
  return json.secret
}

export interface Bot {
  readonly id: string
  readonly clientId: string
  /** Oldest first; both are valid. */
  readonly secrets: readonly string[]
  readonly headers: Headers
  readonly keys: readonly Keys[]
}

interface Keys {
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
  const created = await product.call('createClient', {
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
    await product.call('saveApiKey', { headers: asAdmin, body: { clientId, ...each } })
    // So that it is sent at once: later the routes save another key in its place.
    const { exchange } = each
    await product.call('testApiKey', { headers: asAdmin, body: { clientId, exchange } })
  }
  const rotated = await product.call('rotateClientSecret', {
    ...{ params: { id: String(id) }, headers: asAdmin, body: {} },
  })
  const secrets = [old, rotated.json.clientSecret]
  const tokens: string[] = []
  const ofClient = { params: { id: String(id) }, headers: asAdmin }
  for (const [index, clientSecret] of secrets.entries()) {
    tokens.push(...(await tokensBy(product, clientId, clientSecret)))
    const body = { secretAsBearer: index > 0 }
    await product.call('changeClientLimits', { ...ofClient, body })
    for (const words of [`${clientId}:${clientSecret}`, `${clientSecret}:${clientId}`])
      await product.fetch('GET', OPEN_ORDERS, { headers: bearer(words) })
  }
  return { id: String(id), clientId, secrets, keys, headers: bearer(tokens.at(-1) ?? '') }
}

/** Keys that the exchanges reject. */
export async function useUnknownKeys(
  product: Product,
  canaries: Canaries,
  asAdmin: Headers,
): Promise<void> {
  const clientId = 'unknown'
  await product.call('createClient', { headers: asAdmin, body: { clientId } })
  for (const exchange of ['mx', 'bg'] as const) {
    const body = { clientId, ...plantKeys(canaries, exchange) }
    await product.call('saveApiKey', { headers: asAdmin, body })
    await product.call('testApiKey', { headers: asAdmin, body: { clientId, exchange } })
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
  await product.call('saveApiKey', { headers: asAdmin, body })
  await product.call('listApprovals', { headers: asAdmin })
}

/** Where the headers of a call to an exchange are collected. */
export const TO_EXCHANGE = 'the headers of a call to an exchange'

const OPEN_ORDERS = '/mx/api/v3/openOrders?symbol=BTCUSDT'
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
  const oauth = 'oauthToken'
  const swapped = { clientId: clientSecret, clientSecret: clientId }
  await product.call('getToken', { body: swapped })
  return [
    await product.call('getToken', { body: { clientId, clientSecret } }),
    await product.call(oauth, { headers: form, body: body.toString() }),
    await product.call(oauth, {
      headers: { ...form, authorization: `Basic ${basic}` },
      body: new URLSearchParams(grant).toString(),
    }),
  ].map(({ json }) => json.accessToken ?? json.token ?? json.access_token)
}
