import assert from 'node:assert/strict'
import { createHmac, createSecretKey, randomBytes } from 'node:crypto'
import fc from 'fast-check'
import Fastify from 'fastify'
import { TokenExpiredError, TokenInvalidError } from '../../../src/plugins/auth/errors.ts'
import { type Claims, createTokens, type TokenKind } from '../../../src/plugins/auth/tokens.ts'
import { editedText, hostileText, jsonValueText } from '../hostile.ts'
import type { Target } from '../target.ts'

const NOW_S = 1_790_000_000
const NAMES = ['jti', 'sub', 'iat', 'exp', 'iss', 'aud', 'scope', 'ver', 'nbf', 'crit', '__proto__']
const TYPES = { admin: 'admin+jwt', client: 'at+jwt' } as const

const odd = jsonValueText
const header = fc.record({
  alg: fc.constantFrom('HS256', 'HS256', 'HS256', 'none', 'None', 'HS384', 'RS256', 'hs256', ''),
  typ: fc.constantFrom('at+jwt', 'at+jwt', 'admin+jwt', 'JWT', 'AT+JWT', 'application/at+jwt'),
  more: fc.array(
    fc.tuple(fc.constantFrom('kid', 'jku', 'jwk', 'x5u', 'crit', 'b64', 'zip', 'alg', 'typ'), odd),
    { maxLength: 2 },
  ),
})

const input = fc.record({
  kind: fc.constantFrom<TokenKind>('admin', 'client'),
  /** Which key signs: that of the kind, that of the other kind, or none of the gateway. */
  signer: fc.constantFrom('own', 'own', 'own', 'other', 'foreign', 'empty'),
  header,
  changes: fc.array(
    fc.tuple(fc.constantFrom(...NAMES), fc.oneof(odd, fc.constant('')), fc.boolean()),
    { maxLength: 2 },
  ),
  iat: fc.integer({ min: -120, max: 120 }),
  life: fc.integer({ min: -60, max: 600 }),
  edit: fc.option(editedText(fc.constant('\u0000')), { nil: undefined, freq: 3 }),
  cut: fc.option(fc.nat(), { nil: undefined, freq: 8 }),
  insert: fc.option(fc.tuple(fc.nat(), hostileText), { nil: undefined, freq: 4 }),
})
type Input = typeof input extends fc.Arbitrary<infer T> ? T : never

/** Only a token that says what the gateway writes, signed with its key, is a token. */
export const tokens: Target = {
  name: 'tokens',
  about: 'tokens: other algorithms, odd claims well signed, edited texts',
  weight: 120,
  open: async () => {
    const app = Fastify()
    const keys = { admin: randomBytes(32), client: randomBytes(32) }
    const keysOf = (kind: TokenKind) => {
      const key = createSecretKey(keys[kind])
      return { signing: async () => key, verifying: () => [key] }
    }
    const { verify } = await createTokens(
      app,
      { admin: keysOf('admin'), client: keysOf('client') },
      () => NOW_S * 1000,
    )
    return {
      property: fc.property(input, (given) => {
        const { kind } = given
        const signers = {
          ...{ own: keys[kind], other: keys[kind === 'admin' ? 'client' : 'admin'] },
          ...{ foreign: Buffer.alloc(32, 7), empty: Buffer.alloc(0) },
        }
        const token = write(given, signers[given.signer] ?? Buffer.alloc(0))
        let claims: Claims
        try {
          claims = verify(kind, token)
        } catch (error) {
          const isDeclared =
            error instanceof TokenInvalidError || error instanceof TokenExpiredError
          assert.ok(isDeclared, `another error: ${error instanceof Error ? error.stack : error}`)
          return
        }
        assertTrue(token, kind, keys[kind], claims)
      }),
      close: () => app.close(),
    }
  },
}

function write({ kind, header, changes, iat, life, edit, cut, insert }: Input, key: Buffer) {
  const claims = new Map<string, string>([
    ['jti', '"00000000-0000-4000-8000-000000000000"'],
    ['sub', '"bot-1"'],
    ['iss', '"sluice"'],
    ['aud', `"sluice/${kind}"`],
    ['iat', `${NOW_S + iat}`],
    ['exp', `${NOW_S + iat + life}`],
  ])
  const doubled: string[] = []
  for (const [name, value, isDouble] of changes) {
    if (isDouble && value !== '') doubled.push(`${JSON.stringify(name)}:${value}`)
    else if (value === '') claims.delete(name)
    else claims.set(name, value)
  }
  const written = [...claims].map(([name, value]) => `${JSON.stringify(name)}:${value}`)
  const typ = header.typ === 'at+jwt' ? TYPES[kind] : header.typ
  const head = [
    `"alg":${JSON.stringify(header.alg)}`,
    `"typ":${JSON.stringify(typ)}`,
    ...header.more.map(([name, value]) => `${JSON.stringify(name)}:${value}`),
  ]
  const encode = (parts: readonly string[]) =>
    Buffer.from(`{${parts.join(',')}}`).toString('base64url')
  const signed = `${encode(head)}.${encode([...written, ...doubled])}`
  const isUnsigned = header.alg.toLowerCase() === 'none'
  const mac = isUnsigned ? '' : createHmac('sha256', key).update(signed).digest('base64url')
  let token = `${signed}.${mac}`
  if (edit !== undefined) token = edit.replaceAll('\u0000', token)
  if (cut !== undefined) token = token.slice(0, cut % token.length)
  if (insert !== undefined) {
    const at = insert[0] % (token.length + 1)
    token = token.slice(0, at) + insert[1] + token.slice(at)
  }
  return token
}

/** What an accepted token has to be, read with nothing of the gateway's own. */
function assertTrue(token: string, kind: TokenKind, key: Buffer, claims: Claims): void {
  const [head = '', body = '', signature = '', ...rest] = token.split('.')
  assert.equal(rest.length, 0, 'it has more than three parts')
  const mac = createHmac('sha256', key).update(`${head}.${body}`).digest()
  assert.ok(mac.equals(Buffer.from(signature, 'base64url')), 'its signature is wrong')
  const { alg, typ, crit } = JSON.parse(Buffer.from(head, 'base64url').toString())
  assert.equal(alg, 'HS256')
  // A media type: upper and lower case are the same, and so is the long form (RFC 7515, 4.1.9).
  assert.equal(
    String(typ)
      .toLowerCase()
      .replace(/^application\//, ''),
    TYPES[kind],
  )
  assert.equal(crit, undefined, 'an extension that must be understood is not (RFC 7515, 4.1.11)')
  const said = JSON.parse(Buffer.from(body, 'base64url').toString())
  const { jti, sub, iss, aud, iat, exp, nbf, scope, ver } = said
  assert.equal(iss, 'sluice')
  assert.deepEqual([aud].flat(), [`sluice/${kind}`], 'it is for somebody else too')
  for (const text of [jti, sub]) assert.equal(typeof text, 'string')
  for (const time of [iat, exp]) assert.ok(Number.isFinite(time))
  assert.ok(exp > NOW_S && iat <= NOW_S + 30, 'it is not valid now')
  if (nbf !== undefined) assert.ok(nbf <= NOW_S + 30, 'it is not valid yet')
  assert.ok(scope === undefined || typeof scope === 'string')
  assert.ok(ver === undefined || Number.isInteger(ver))
  assert.deepEqual(
    [claims.jti, claims.sub, claims.iat, claims.exp, claims.scope, claims.ver],
    [jti, sub, iat, exp, scope, ver],
  )
}
