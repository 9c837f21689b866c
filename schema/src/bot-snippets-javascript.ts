import type { BotSnippet, SnippetOptions } from './bot-snippets.ts'
import { javascriptCcxt, javascriptCcxtBase } from './bot-snippets-ccxt.ts'
import { localDoor } from './bot-snippets-door.ts'

/** ES modules for Node 20 and later. */
export function javascriptSnippets({ gatewayUrl }: SnippetOptions): readonly BotSnippet[] {
  return [
    {
      id: 'javascript-token',
      language: 'javascript',
      exchange: null,
      title: 'Get a token, and a new one before it ends',
      file: 'sluice-token.mjs',
      code: `export const SLUICE = '${gatewayUrl}'
const { SLUICE_CLIENT_ID: clientId, SLUICE_CLIENT_SECRET: clientSecret } = process.env

let token = ''
let endsAtMs = 0

/**
 * The Authorization header, with a token that is good for at least a minute more.
 * @param refused one that the gateway answered with 401: another one is got
 */
export async function bearer(refused) {
  if (endsAtMs - Date.now() < 60_000 || refused === \`Bearer \${token}\`) {
    const answer = await fetch(\`\${SLUICE}/auth/token\`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ clientId, clientSecret }),
    })
    const body = await answer.json()
    if (!answer.ok)
      throw Object.assign(new Error(\`\${body.code}: \${body.message}\`), { status: answer.status, body })
    token = body.token
    endsAtMs = Date.now() + body.expiresInSeconds * 1000
  }
  return \`Bearer \${token}\`
}

/** fetch with the token. When it is refused before its time: once more with a new one, all else the same. */
export async function sluiceFetch(url, options = {}) {
  const send = (Authorization) =>
    fetch(url, { ...options, headers: { ...options.headers, Authorization } })
  const first = await bearer()
  const answer = await send(first)
  return answer.status === 401 ? send(await bearer(first)) : answer
}`,
    },
    javascriptCcxtBase(),
    localDoor(),
    {
      id: 'mx-javascript-fetch',
      language: 'javascript',
      exchange: 'mx',
      title: 'fetch',
      file: 'mexc-fetch.mjs',
      code: `import { SLUICE, sluiceFetch } from './sluice-token.mjs'

async function call(method, path, headers) {
  const answer = await sluiceFetch(\`\${SLUICE}/mx\${path}\`, { method, headers })
  return answer.json()
}

console.log(await call('GET', '/api/v3/ticker/price?symbol=BTCUSDT'))
console.log(await call('GET', '/api/v3/account'))

const order = 'symbol=BTCUSDT&side=BUY&type=LIMIT&quantity=0.001&price=50000'
// A new key for each order, the same one for each retry of it.
const key = crypto.randomUUID()
console.log(await call('POST', \`/api/v3/order?\${order}\`, { 'Idempotency-Key': key }))`,
    },
    {
      id: 'bg-javascript-fetch',
      language: 'javascript',
      exchange: 'bg',
      title: 'fetch',
      file: 'bitget-fetch.mjs',
      code: `import { SLUICE, sluiceFetch } from './sluice-token.mjs'

async function call(method, path, { body, headers } = {}) {
  const answer = await sluiceFetch(\`\${SLUICE}/bg\${path}\`, {
    method,
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: body && JSON.stringify(body),
  })
  return answer.json()
}

console.log(await call('GET', '/api/v2/spot/market/tickers?symbol=BTCUSDT'))
console.log(await call('GET', '/api/v2/spot/account/assets'))

const order = {
  symbol: 'BTCUSDT',
  side: 'buy',
  orderType: 'limit',
  force: 'gtc',
  price: '50000',
  size: '0.001',
}
// A new key for each order, the same one for each retry of it.
const headers = { 'Idempotency-Key': crypto.randomUUID() }
console.log(await call('POST', '/api/v2/spot/trade/place-order', { body: order, headers }))`,
    },
    {
      id: 'bg-javascript-bitget-api',
      language: 'javascript',
      exchange: 'bg',
      title: 'bitget-api',
      file: 'bitget-api.mjs',
      code: `import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import { RestClientV2 } from 'bitget-api'
import { bearer, SLUICE } from './sluice-token.mjs'

const ours = new AsyncLocalStorage()

const client = new RestClientV2(
  // Placeholders: Sluice takes away what they sign, and signs with the stored keys.
  { apiKey: 'via-sluice', apiSecret: 'via-sluice', apiPass: 'via-sluice', baseUrl: \`\${SLUICE}/bg\` },
  {
    // An order may wait up to 180 s for its turn.
    timeout: 200_000,
    transformRequest: (body, headers) => {
      for (const [name, value] of Object.entries(ours.getStore())) headers.set(name, value)
      return body && JSON.stringify(body)
    },
  },
)

/** The client, each call with the token and a key. To try an order again, take its key for both. */
function viaSluice(key) {
  const call = (name) => async (...args) => {
    const headers = { 'Idempotency-Key': key ?? randomUUID(), Authorization: await bearer() }
    const send = (changed) => ours.run({ ...headers, ...changed }, () => client[name](...args))
    return send().catch(async (error) => {
      if (error.code !== 401) throw error
      // Withdrawn before its time: once more with a new one, the same key and all.
      return send({ Authorization: await bearer(headers.Authorization) })
    })
  }
  const get = (_, name) => (typeof client[name] === 'function' ? call(name) : client[name])
  return new Proxy(client, { get })
}

const bitget = viaSluice()
console.log(await bitget.getSpotTicker({ symbol: 'BTCUSDT' }))
console.log(await bitget.getSpotAccountAssets())

const order = {
  symbol: 'BTCUSDT',
  side: 'buy',
  orderType: 'limit',
  force: 'gtc',
  price: '50000',
  size: '0.001',
}
console.log(await viaSluice(randomUUID()).spotSubmitOrder(order))`,
    },
    javascriptCcxt('mx', 'mexc'),
    javascriptCcxt('bg', 'bitget'),
  ]
}
