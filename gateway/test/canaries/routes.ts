import { catalogue, type Endpoint } from 'schema'
import { IS_LONG } from '../support/is-long.ts'
import type { Bot, Headers } from './callers.ts'
import { endpointOf, type Product } from './product.ts'

/** They end what the others need. */
const ENDING = ['toggleClient', 'deleteApiKey', 'endOldSecret', 'deleteClient']
/** People use them on their own accounts. */
const OF_PEOPLE = ['logout', 'changePassword', 'endSessionsOfPerson']

const endpoints = catalogue.filter(({ id }) => ![...ENDING, ...OF_PEOPLE].includes(id))

export interface Callers {
  readonly asAdmin: Headers
  readonly bot: Bot
}

/** Every route: as its sample has it, by its caller, by another one and by nobody. */
export async function useRoutes(product: Product, { asAdmin, bot }: Callers): Promise<void> {
  for (const endpoint of endpoints) {
    const [right, wrong] =
      endpoint.access === 'admin' ? [asAdmin, bot.headers] : [bot.headers, asAdmin]
    await Promise.all(
      [right, wrong, {}].map((headers) =>
        product.call(endpoint, { ...inputOf(endpoint, bot), headers: { ...FAST, ...headers } }),
      ),
    )
  }
}

/** Ends a bot that nothing needs any more. */
export async function endBot(product: Product, { asAdmin, bot }: Callers): Promise<void> {
  for (const id of ENDING)
    await product.call(id, { ...inputOf(endpointOf(id), bot), headers: asAdmin })
}

/** Nobody waits for an order that is looked up. */
const FAST = { prefer: 'wait=1' }

function inputOf({ path, sample = {}, bodyType }: Endpoint, { id, clientId }: Bot) {
  const { params, query, body } = sample
  const ids = path.includes('/client-credentials/') ? { id } : { clientId }
  const own = params === undefined ? {} : { params: { ...params, ...ids } }
  const isForm = bodyType === 'application/x-www-form-urlencoded'
  return {
    ...own,
    ...(query === undefined ? {} : { query }),
    ...(body === undefined
      ? {}
      : { body: isForm ? new URLSearchParams(Object(body)).toString() : body }),
  }
}

/** Secrets to put into wrong places. */
export interface Misplaced {
  /** Client secrets and tokens, which the gateway recognises by their form. */
  readonly recognised: readonly string[]
  /** Passwords, exchange keys and what else is like any text. */
  readonly others: readonly string[]
}

/**
 * What people and bots write to read it again is stored and shown, whatever it is, and keys are
 * sent to the exchange. A secret that is put there is not looked for.
 */
const FREE_TEXT =
  /^(?:apiKey|passphrase|description|note|reason|name|\w*client(?:Oid|OrderId|Id)|externalOid)$/i

/**
 * Secrets where something else belongs: in a path, a query, a body, a header. In the short form at
 * one endpoint of three.
 */
export async function misplace(
  product: Product,
  { asAdmin, bot }: Callers,
  { recognised, others }: Misplaced,
): Promise<void> {
  const known = inTurn(recognised)
  const any = inTurn([...recognised, ...others])
  for (const endpoint of endpoints.filter((_, index) => IS_LONG || index % 3 === 0)) {
    const headers = endpoint.access === 'admin' ? asAdmin : bot.headers
    const send = (path: string) => product.fetch(endpoint.method, path, { headers })
    const input = inputOf(endpoint, bot)
    const basic = Buffer.from(`${any()}:${any()}`).toString('base64')
    const credentials = [`Basic ${basic}`, `Bearer ${encodeURIComponent(any())}`]
    const json = { ...headers, ...FAST, 'content-type': 'application/json' }
    const body = Object(endpoint.sample?.body)
    const fields = Object.keys(body).filter((name) => !FREE_TEXT.test(name))
    const bodies = [
      ...fields.map((name) => JSON.stringify({ ...body, [name]: known() })),
      JSON.stringify({ ...body, [known()]: any(), apiSecret: any(), token: any(), secret: any() }),
      `{"apiSecret":${JSON.stringify(any())},`,
      any(),
    ]
    await Promise.all([
      send(endpoint.path.replaceAll(/\{\w+\}/g, known)),
      send(`${endpoint.path}/${known()}?${new URLSearchParams({ access_token: any() })}`),
      ...credentials.map((authorization) =>
        product.call(endpoint, { ...input, headers: { authorization } }),
      ),
      ...(endpoint.method === 'GET' ? [] : bodies).map((wrong) =>
        product.call(endpoint, { ...input, body: wrong, headers: json }),
      ),
    ])
  }
  for (const name of ['x-request-id', 'user-agent', 'origin', 'cookie', 'x-api-key', 'prefer'])
    for (const endpoint of ['mxSubmitOrder', 'bgSpotPlaceOrder', 'listClients'].map(endpointOf)) {
      const headers = endpoint.access === 'admin' ? asAdmin : bot.headers
      const wrong = { ...headers, ...FAST, [name]: encodeURIComponent(any()) }
      await product.call(endpoint, { ...inputOf(endpoint, bot), headers: wrong })
    }
}

/** Gives one after the other, again and again. */
function inTurn(texts: readonly string[]): () => string {
  let turn = 0
  return () => {
    turn += 1
    return texts[turn % texts.length] ?? ''
  }
}

/** What no honest HTTP client sends. */
export async function knock(product: Product, { recognised, others }: Misplaced): Promise<void> {
  const inPath = recognised.map(
    (secret) => `GET /${secret} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
  )
  const elsewhere = [...recognised, ...others].flatMap((secret) => [
    `GET /health/live?${secret} HTTP/9.9\r\nHost: x\r\n\r\n`,
    `${secret} / HTTP/1.1\r\nHost: x\r\n\r\n`,
    `GET / HTTP/1.1\r\nHost: ${secret}\r\nHost: ${secret}\r\nConnection: close\r\n\r\n`,
    `GET /health/live HTTP/1.1\r\nHost: x\r\nAuthorization ${secret}\r\n\r\n`,
    `GET /health/live HTTP/1.1\r\nHost: x\r\nX-A: ${secret.repeat(600)}\r\n\r\n`,
    `${LOGIN}Content-Length: 9\r\nConnection: close\r\n\r\n${secret}`,
    `${LOGIN}Transfer-Encoding: chunked\r\n\r\n${secret}\r\n`,
  ])
  await Promise.all([...inPath, ...elsewhere].map((text) => product.raw(text)))
}

const LOGIN = 'POST /auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n'
