import type { BotSnippet, SnippetOptions } from './bot-snippets.ts'

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
  }),
)`,
    },
    ccxt('mx', {
      file: 'mexc-ccxt.mjs',
      name: 'mexc',
      credentials: `apiKey: 'via-sluice',
  secret: 'via-sluice',`,
      api: `{
    spot: { public: \`\${SLUICE}/mx\`, private: \`\${SLUICE}/mx\` },
    contract: {
      public: \`\${SLUICE}/mx/api/v1/contract\`,
      private: \`\${SLUICE}/mx/api/v1/private\`,
    },
  }`,
    }),
    ccxt('bg', {
      file: 'bitget-ccxt.mjs',
      name: 'bitget',
      credentials: `apiKey: 'via-sluice',
  secret: 'via-sluice',
  password: 'via-sluice',`,
      api: `Object.fromEntries(
    ['spot', 'mix', 'margin', 'common', 'user', 'uta'].map((part) => [part, \`\${SLUICE}/bg\`]),
  )`,
    }),
  ]
}

interface CcxtParts {
  readonly file: string
  readonly name: string
  readonly credentials: string
  readonly api: string
}

function ccxt(exchange: 'mx' | 'bg', { file, name, credentials, api }: CcxtParts): BotSnippet {
  return {
    id: `${exchange}-javascript-ccxt`,
    language: 'javascript',
    exchange,
    title: 'ccxt',
    file,
    code: `import ccxt from 'ccxt'
import { bearer, SLUICE } from './sluice-token.mjs'

class ViaSluice extends ccxt.${name} {
  async fetch(url, method, headers, body) {
    return super.fetch(url, method, { ...headers, Authorization: await bearer() }, body)
  }
}

const exchange = new ViaSluice({
  // Placeholders: Sluice takes away what they sign, and signs with the stored keys.
  ${credentials}
  urls: { api: ${api} },
  // Sluice keeps the pace; an order may wait up to 180 s for its turn.
  enableRateLimit: false,
  timeout: 200_000,
})

console.log(await exchange.fetchTicker('BTC/USDT'))
console.log(await exchange.fetchBalance())
console.log(await exchange.createOrder('BTC/USDT', 'limit', 'buy', 0.001, 50000))`,
  }
}
