import assert from 'node:assert/strict'
import fc from 'fast-check'
import { readBotCallHead } from '../../../src/exchanges/bot-call.ts'
import { namesIn } from '../../../src/exchanges/call-table.ts'
import type { ExchangeCode } from '../../../src/exchanges/exchange.ts'
import { adapters } from '../../../src/exchanges/registry.ts'
import { signCall } from '../../../src/upstream/sign-and-send.ts'
import { unlessRefused } from '../declared.ts'
import { editedText, hostileText } from '../hostile.ts'
import type { Target } from '../target.ts'

const KEYS = { apiKey: 'mx0vglKEYKEYKEYKEY', apiSecret: 'S3CRETS3CRETS3CRET', passphrase: 'Pass-1' }

interface Documented {
  readonly exchange: ExchangeCode
  readonly method: string
  /** With parameters in braces. */
  readonly path: string
}

const documented: readonly Documented[] = (['mx', 'bg'] as const).flatMap((exchange) =>
  adapters
    .ofCode(exchange)
    .flatMap(({ calls }) =>
      calls.rows.flatMap(([, method, below, names]) =>
        namesIn(names).map((name) => ({ exchange, method, path: below + name })),
      ),
    ),
)

/** What is documented under the names that nobody may call. */
const closedPaths = [
  ...['/api/v3/capital/withdraw', '/api/v3/capital/transfer', '/api/v3/sub-account/list'],
  ...['/api/v2/spot/wallet/withdrawal', '/api/v2/spot/wallet/transfer'],
  ...['/api/v2/user/create-virtual-subaccount', '/api/v3/account/transfer'],
]

/** Other spellings of a character, and what some server takes for a slash, a dot or an end. */
const DISGUISES = [
  ...['%2e', '%2E', '%2f', '%2F', '%5c', '\\', '//', '/./', '/../', '/..;/', ';x=1', '%3b', '%00'],
  ...['%252e', '%252f', '%c0%af', '%c0%ae', '%e0%80%af', '%u002e', '．', '／', '․', '\u2215'],
  ...['\t', '\r', '\n', ' ', '%20', '+', '%09', '%0d%0a', '#', '%23', '?', '%3f', '*', '.', '..'],
  ...['...', '@', ':', '~', '%73', '%6F', 'İ', 'ﬃ', '\ufeff', '\u200b', 'http://x/', 'HTTP/1.1'],
]

const start = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...documented).map(({ path }) => path) },
  { weight: 2, arbitrary: fc.constantFrom(...closedPaths) },
  { weight: 1, arbitrary: hostileText },
)

const filled = fc
  .tuple(start, fc.oneof(fc.constant('BTC_USDT'), fc.constantFrom(...DISGUISES), hostileText))
  .map(([path, value]) => path.replaceAll(/\{\w+\}/g, () => value))

const disguised = fc
  .tuple(filled, fc.array(fc.tuple(fc.nat(200), fc.constantFrom(...DISGUISES)), { maxLength: 3 }))
  .map(([path, disguises]) =>
    disguises.reduce((text, [at, put]) => {
      const from = at % (text.length + 1)
      return text.slice(0, from) + put + text.slice(from + (at % 2))
    }, path),
  )

const query = fc.oneof(
  fc.constantFrom('', '?', '?symbol=BTCUSDT', '?a=%zz&timestamp=1', '?a#b', '?signature=x&b=%26'),
  hostileText.map((text) => `?${text}`),
)

const request = fc.record({
  exchange: fc.constantFrom<ExchangeCode>('mx', 'bg'),
  method: fc.constantFrom('GET', 'GET', 'POST', 'POST', 'DELETE', 'PUT', 'PATCH', 'get', ''),
  path: fc.oneof(disguised, disguised, editedText(filled)),
  query,
})

/** Whether the path is this documented one, part by part, compared as the letters that they are. */
function isDocumented(path: string, pattern: string): boolean {
  const parts = path.split('/')
  const names = pattern.split('/')
  return (
    parts.length === names.length &&
    names.every((name, at) => (name.startsWith('{') ? parts[at] !== '' : parts[at] === name))
  )
}

/** A path that is let through is a documented one, and means the same to every reader. */
export const paths: Target = {
  name: 'paths',
  about: 'spellings of paths on the doors for bots',
  weight: 200,
  open: async () => ({
    property: fc.property(request, ({ exchange, method, path, query }) => {
      const target = path + query
      const head = unlessRefused(() => readBotCallHead(exchange, { method, target, headers: {} }))
      if (head === undefined) return
      const { call } = head
      const [asked = ''] = target.split('?')
      assert.equal(call.path, asked, 'another path is sent than the one that was asked for')
      assert.ok(
        documented.some(
          (each) =>
            each.exchange === exchange && each.method === method && isDocumented(asked, each.path),
        ),
        `${method} ${asked} is open and not documented`,
      )
      assert.ok(call.signed || head.kind === 'market', 'a private call goes out unsigned')
      const { url } = signCall(call, KEYS, 1_790_000_000_000)
      const sent = new URL(url, 'http://exchange.test')
      assert.equal(sent.origin, 'http://exchange.test', 'it goes to another host')
      assert.equal(sent.pathname, asked, 'a reader of addresses sees another path')
      assert.equal(decodeURIComponent(sent.pathname), asked, 'decoding changes the path')
      assert.equal(sent.hash, '', 'the address has a fragment')
      assert.match(url, /^[\x21-\x7e]+$/, 'the address is more than one word')
    }),
  }),
}
