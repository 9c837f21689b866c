import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { UpstreamResponse } from '../../../src/exchanges/exchange.ts'
import { withoutSecrets } from '../../../src/upstream/redact-secrets.ts'
import { hostileText } from '../hostile.ts'
import type { Target } from '../target.ts'

/** The characters that a stored key may have (`PRINTABLE` of the contract). */
const secretText = (minLength: number) =>
  fc
    .oneof(
      fc.stringMatching(/^[A-Za-z0-9]{1,40}$/),
      fc.stringMatching(/^[\x21-\x7e]{1,40}$/),
      fc.constantFrom(
        ...['a/b&c<d>"e\'f', "quote'quote'quote", 'back\\slash\\back', '100%25sure%'],
        'aaaaaaaaaaaaaa',
      ),
    )
    .filter((text) => text.length >= minLength)

const json = (text: string) => JSON.stringify(text).slice(1, -1)
const hexOf = (letter: string) => letter.charCodeAt(0).toString(16)
const entities = (text: string, quote: string) =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', quote)

const forms = {
  plain: (text: string) => text,
  json,
  jsonSlash: (text: string) => json(text).replaceAll('/', '\\/'),
  jsonInJson: (text: string) => JSON.stringify(JSON.stringify(text)).slice(3, -3),
  jsonHtml: (text: string) => json(text).replaceAll(/[<>&'+]/g, (each) => `\\u00${hexOf(each)}`),
  percent: encodeURIComponent,
  percentLower: (text: string) =>
    encodeURIComponent(text).replaceAll(/%../g, (code) => code.toLowerCase()),
  percentStrict: (text: string) =>
    encodeURIComponent(text).replaceAll(/[!'()*~]/g, (each) => `%${hexOf(each).toUpperCase()}`),
  html: (text: string) => entities(text, '&quot;'),
  htmlQuotes: (text: string) => entities(text, '&#34;').replaceAll("'", '&#39;'),
} as const
type Form = keyof typeof forms

const keys = fc.record({
  apiKey: secretText(12),
  apiSecret: secretText(12),
  passphrase: secretText(8),
  /** The other one begins or ends with it. */
  overlap: fc.constantFrom('none', 'none', 'prefix', 'suffix', 'same'),
})

const piece = fc.oneof(
  { weight: 3, arbitrary: fc.record({ text: hostileText }) },
  {
    weight: 2,
    arbitrary: fc.record({
      which: fc.constantFrom('apiKey', 'apiSecret', 'passphrase', 'signature'),
      form: fc.constantFrom(...(Object.keys(forms) as Form[])),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ text: fc.constantFrom('"', '=', '&', ' ', '{"a":"', '","b":"') }),
  },
)

const input = fc.record({
  keys,
  /** With one, a response repeats its request, so that also short secrets are taken out. */
  isEcho: fc.boolean(),
  pieces: fc.array(piece, { maxLength: 8 }),
  status: fc.constantFrom(200, 400, 500),
})

/** A response that repeats its request has no secret of it; any other one stays as it is. */
export const redactor: Target = {
  name: 'redactor',
  about: 'responses that repeat secrets of their request, in other forms, split, overlapping',
  weight: 120,
  open: async () => ({
    property: fc.property(input, ({ keys, isEcho, pieces, status }) => {
      const secrets = secretsOf(keys)
      // Between two pieces there is a mark of a text's end, as in JSON, in an address and in HTML.
      const parts = pieces.map((each) =>
        'text' in each ? each.text.toWellFormed() : forms[each.form](secrets[each.which] ?? ''),
      )
      const text = `${isEcho ? 'ACCESS-PASSPHRASE: ' : ''}"${parts.join('"')}"`
      const body = Buffer.from(text)
      const headers = { 'content-type': `text/plain; a="${secrets.apiKey}"`, 'x-other': 'x' }
      const response: UpstreamResponse = { status, headers, body, upstreamMs: 1 }
      const { apiKey = '', apiSecret = '', passphrase = '' } = secrets
      const url = `/api/v3/account?timestamp=1&signature=${secrets.signature}`
      const request = { method: 'GET' as const, url, headers: {}, body: null }
      const redacted = withoutSecrets(response, { apiKey, apiSecret, passphrase }, request)
      const out = redacted.body.toString()
      const sure = ['apiKey', 'apiSecret', 'signature', ...(isEcho ? ['passphrase'] : [])]
      for (const name of sure) {
        const secret = secrets[name] ?? ''
        for (const [form, write] of Object.entries(forms))
          assert.ok(
            name === 'passphrase' ? !hasWhole(out, write(secret)) : !out.includes(write(secret)),
            `the ${name} is there as ${form}: ${out}`,
          )
      }
      assert.ok(!redacted.headers['content-type']?.includes(apiKey), 'a header has the key')
      assert.equal(redacted.headers['x-other'], 'x')
      assert.equal(redacted.status, status)
      const hadSecret = Object.values(secrets).some((secret) =>
        Object.values(forms).some((write) => text.includes(write(secret))),
      )
      if (!hadSecret) assert.equal(out, text, 'it was changed although it has no secret')
      const kept = out.split('[redacted]').filter((part) => part !== '')
      let from = 0
      for (const part of kept) {
        const at = text.indexOf(part, from)
        assert.ok(at !== -1, `something else was changed: ${part}`)
        from = at + part.length
      }
    }),
  }),
}

/** As the redactor promises it for a short or chosen secret: as a whole word. */
function hasWhole(text: string, secret: string): boolean {
  if (secret === '') return false
  for (let at = text.indexOf(secret); at !== -1; at = text.indexOf(secret, at + 1)) {
    const isPart = /[\w.-]/
    if (!isPart.test(text[at - 1] ?? ' ') && !isPart.test(text[at + secret.length] ?? ' '))
      return true
  }
  return false
}

type Keys = typeof keys extends fc.Arbitrary<infer T> ? T : never

function secretsOf({ apiKey, apiSecret, passphrase, overlap }: Keys): Record<string, string> {
  const signature = 'f00dfeed'.repeat(8)
  if (overlap === 'prefix') return { apiKey, apiSecret: apiKey + apiSecret, passphrase, signature }
  if (overlap === 'suffix') return { apiKey: apiKey + apiSecret, apiSecret, passphrase, signature }
  if (overlap === 'same') return { apiKey, apiSecret, passphrase: apiSecret, signature }
  return { apiKey, apiSecret, passphrase, signature }
}
