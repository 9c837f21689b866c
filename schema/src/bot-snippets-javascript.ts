import type { BotSnippet, SnippetOptions } from './bot-snippets.ts'
import type { ExchangeCode } from './endpoint.ts'

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

/** The Authorization header, with a token that is good for at least a minute more. */
export async function bearer() {
  if (endsAtMs - Date.now() < 60_000) {
    const answer = await fetch(\`\${SLUICE}/auth/token\`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ clientId, clientSecret }),
    })
    const body = await answer.json()
    if (!answer.ok) throw new Error(\`\${body.code}: \${body.message}\`)
    token = body.token
    endsAtMs = Date.now() + body.expiresInSeconds * 1000
  }
  return \`Bearer \${token}\`
}`,
    },
    {
      id: 'mx-javascript-fetch',
      language: 'javascript',
      exchange: 'mx',
      title: 'fetch',
      file: 'mexc-fetch.mjs',
      code: `import { bearer, SLUICE } from './sluice-token.mjs'

async function call(method, path, headers = {}) {
  const answer = await fetch(\`\${SLUICE}/mx\${path}\`, {
    method,
    headers: { ...headers, Authorization: await bearer() },
  })
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
      code: `import { bearer, SLUICE } from './sluice-token.mjs'

async function call(method, path, { body, headers = {} } = {}) {
  const answer = await fetch(\`\${SLUICE}/bg\${path}\`, {
    method,
    headers: { ...headers, 'Content-Type': 'application/json', Authorization: await bearer() },
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
      code: `import { RestClientV2 } from 'bitget-api'
import { bearer, SLUICE } from './sluice-token.mjs'

let authorization = await bearer()
const renew = () => bearer().then((fresh) => { authorization = fresh }, console.error)
setInterval(renew, 20_000).unref()

const bitget = new RestClientV2(
  // Placeholders: Sluice takes away what they sign, and signs with the stored keys.
  { apiKey: 'via-sluice', apiSecret: 'via-sluice', apiPass: 'via-sluice', baseUrl: \`\${SLUICE}/bg\` },
  {
    // An order may wait up to 180 s for its turn.
    timeout: 200_000,
    transformRequest: (body, headers) => {
      headers.set('Authorization', authorization)
      return body && JSON.stringify(body)
    },
  },
)

console.log(await bitget.getSpotTicker({ symbol: 'BTCUSDT' }))
console.log(await bitget.getSpotAccountAssets())
console.log(
  await bitget.spotSubmitOrder({
    symbol: 'BTCUSDT',
    side: 'buy',
    orderType: 'limit',
    force: 'gtc',
    price: '50000',
    size: '0.001',
    clientOid: crypto.randomUUID(),
  }),
)`,
    },
    ccxt('mx', { file: 'mexc-ccxt.mjs', name: 'mexc', keys: ['apiKey', 'secret'] }),
    ccxt('bg', { file: 'bitget-ccxt.mjs', name: 'bitget', keys: ['apiKey', 'secret', 'password'] }),
    localDoor('mx', { file: 'mexc-door.mjs', path: '/mx/api/v3' }),
    localDoor('bg', { file: 'bitget-door.mjs', path: '/bg' }),
  ]
}

interface CcxtParts {
  readonly file: string
  readonly name: string
  /** What ccxt calls the parts of a key. */
  readonly keys: readonly string[]
}

function ccxt(exchange: ExchangeCode, { file, name, keys }: CcxtParts): BotSnippet {
  return {
    id: `${exchange}-javascript-ccxt`,
    language: 'javascript',
    exchange,
    title: 'ccxt',
    file,
    code: `import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import ccxt from 'ccxt'
import { bearer, SLUICE } from './sluice-token.mjs'

const orderKey = new AsyncLocalStorage()

class ViaSluice extends ccxt.${name} {
  async fetch(url, method, headers, body) {
    const key = orderKey.getStore()
    const ours = { Authorization: await bearer(), ...(key && { 'Idempotency-Key': key }) }
    return super.fetch(url, method, { ...headers, ...ours }, body)
  }

  // Each order has an id, and with it a key: when ccxt tries again, or you do with the same id, it is placed once.
  createOrder(symbol, type, side, amount, price, params = {}) {
    const { clientOrderId = randomUUID().replaceAll('-', '') } = params
    return orderKey.run(clientOrderId, () =>
      super.createOrder(symbol, type, side, amount, price, { ...params, clientOrderId }),
    )
  }
}

const exchange = new ViaSluice({
  // Placeholders: Sluice takes away what they sign, and signs with the stored keys.
${keys.map((key) => `  ${key}: 'via-sluice',`).join('\n')}
  // Sluice keeps the pace; an order may wait up to 180 s for its turn.
  enableRateLimit: false,
  timeout: 200_000,
})
// Every address, so that the token goes nowhere else.
const addresses = JSON.stringify(exchange.urls.api)
exchange.urls.api = JSON.parse(addresses.replaceAll(/https:\\/\\/[^/"]+/g, \`\${SLUICE}/${exchange}\`))

console.log(await exchange.fetchTicker('BTC/USDT'))
console.log(await exchange.fetchBalance())
console.log(await exchange.createOrder('BTC/USDT', 'limit', 'buy', 0.001, 50000))`,
  }
}

function localDoor(
  exchange: ExchangeCode,
  { file, path }: { file: string; path: string },
): BotSnippet {
  return {
    id: `${exchange}-javascript-door`,
    language: 'javascript',
    exchange,
    title: 'Any other SDK',
    file,
    code: `// For an SDK that cannot send a header of its own, in whatever language: a door on this machine that adds the token.
// The SDK's base URL is then http://127.0.0.1:8090${path}. Whoever reaches this port trades as this bot.
import { createServer } from 'node:http'
import { bearer, SLUICE } from './sluice-token.mjs'

async function pass(request, response) {
  const parts = []
  for await (const part of request) parts.push(part)
  const answer = await fetch(SLUICE + request.url, {
    method: request.method,
    headers: {
      Authorization: await bearer(),
      'Content-Type': request.headers['content-type'] ?? 'application/json',
    },
    body: parts.length > 0 ? Buffer.concat(parts) : undefined,
  })
  const type = answer.headers.get('content-type') ?? 'application/json'
  response.writeHead(answer.status, { 'Content-Type': type })
  response.end(Buffer.from(await answer.arrayBuffer()))
}

const door = createServer((request, response) => {
  pass(request, response).catch((error) => {
    console.error(error)
    response.destroy()
  })
})
door.listen(process.env.PORT ?? 8090, '127.0.0.1', () => {
  console.log(\`http://127.0.0.1:\${door.address().port}${path}\`)
})`,
  }
}
