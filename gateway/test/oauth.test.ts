import type { AddressInfo } from 'node:net'
import * as oauth from 'oauth4webapi'
import { oauthMetadata, PERMISSIONS, toggleClient } from 'schema'
import { expect, test } from 'vitest'
import { type TestApp, type TestClient, testApp } from './app.ts'
import { sharedApp } from './support/shared-app.ts'

/** An OAuth client that knows nothing of this gateway but its address. */
async function standardClient(t: TestApp) {
  await t.app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = t.app.server.address() as AddressInfo
  const issuer = `http://127.0.0.1:${port}`
  const metadata = await oauth.discoveryRequest(new URL(issuer), {
    algorithm: 'oauth2',
    [oauth.allowInsecureRequests]: true,
  })
  const server = await oauth.processDiscoveryResponse(new URL(issuer), metadata)
  const { clientId, clientSecret } = await t.client()
  const client: oauth.Client = { client_id: clientId }
  const ask = async (how: oauth.ClientAuth, parameters: Record<string, string> = {}) => {
    const response = await oauth.clientCredentialsGrantRequest(server, client, how, parameters, {
      [oauth.allowInsecureRequests]: true,
    })
    return {
      response,
      result: await oauth.processClientCredentialsResponse(server, client, response),
    }
  }
  return { ask, clientSecret }
}

const WAYS = [
  ['HTTP Basic', oauth.ClientSecretBasic],
  ['the form', oauth.ClientSecretPost],
] as const

test.each(WAYS)('a standard OAuth client gets a token with %s, and it works', async (...way) => {
  const [, authenticate] = way
  const t = await testApp()
  const { ask, clientSecret } = await standardClient(t)
  const { response, result } = await ask(authenticate(clientSecret))
  expect(result).toEqual({
    ...{ access_token: expect.any(String), token_type: 'bearer', expires_in: 600 },
    scope: 'market account trade',
  })
  expect(response.headers.get('cache-control')).toBe('no-store')
  const headers = { authorization: `Bearer ${result.access_token}` }
  const call = await t.app.inject({ url: '/api/v3/ticker/price?symbol=BTCUSDT', headers })
  expect(call.statusCode).toBe(200)
})

test('a narrower scope is granted and returned, and limits the token', async () => {
  const t = await testApp()
  const { ask, clientSecret } = await standardClient(t)
  const { result } = await ask(oauth.ClientSecretBasic(clientSecret), { scope: 'account market' })
  expect(result.scope).toBe('market account')
  const headers = { authorization: `Bearer ${result.access_token}` }
  const read = await t.app.inject({ url: '/api/bg/v1/getAccountInfo', headers })
  expect(read.statusCode).toBe(200)
  const payload = { symbol: 'BTC_USDT', side: 'BUY', type: 'MARKET', quantity: '0.01' }
  const url = '/api/mx/v1/submitOrder'
  const order = await t.app.inject({ method: 'POST', url, headers, payload })
  expect(order.json()).toMatchObject({ statusCode: 403, code: 'SCOPE_INSUFFICIENT' })
  expect(order.headers['www-authenticate']).toBe('Bearer error="insufficient_scope", scope="trade"')
  expect(t.paper.orders('mx')).toEqual([])
})

test.each(WAYS)(
  'a standard OAuth client understands the error for a wrong secret with %s',
  async (how, authenticate) => {
    const { ask } = await standardClient(await testApp())
    await expect(ask(authenticate('sls_wrong'))).rejects.toMatchObject(
      how === 'HTTP Basic'
        ? { code: oauth.WWW_AUTHENTICATE_CHALLENGE }
        : { error: 'invalid_client' },
    )
  },
)

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const shared = sharedApp()

interface Posted {
  readonly query?: string
  readonly headers?: Record<string, string>
  readonly before?: (client: TestClient) => Promise<unknown>
}

/** Posts as a new client, whose id, secret and Basic credentials replace ID, SECRET and GOOD. */
async function post(text: string, { query = '', headers = {}, before }: Posted = {}) {
  const t = shared()
  const client = await t.client()
  const { clientId, clientSecret } = client
  await before?.(client)
  const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64')
  const fill = (part: string) =>
    part.replaceAll('ID', clientId).replaceAll('SECRET', clientSecret).replace('GOOD', basic)
  const { authorization, ...others } = headers
  return t.app.inject({
    ...{ method: 'POST', url: `/oauth/token${fill(query)}`, payload: fill(text) },
    headers: {
      ...{ ...FORM, ...others },
      ...(authorization === undefined ? {} : { authorization: fill(authorization) }),
    },
  })
}

const GRANT = 'grant_type=client_credentials'
const good = `${GRANT}&client_id=ID&client_secret=SECRET`

test.each([
  ['no grant type', 'client_id=ID&client_secret=SECRET', 400, 'invalid_request'],
  ['an empty form', '', 400, 'invalid_request'],
  ['a repeated parameter', `${good}&client_id=ID`, 400, 'invalid_request'],
  ['a repeated grant type', `${good}&grant_type=client_credentials`, 400, 'invalid_request'],
  ['no secret', 'grant_type=client_credentials&client_id=ID', 400, 'invalid_request'],
  ['no client', 'grant_type=client_credentials&client_secret=SECRET', 400, 'invalid_request'],
  ['another grant', good.replace('client_credentials', 'password'), 400, 'unsupported_grant_type'],
  ['an unknown scope', `${good}&scope=market+withdraw`, 400, 'invalid_scope'],
  ['a wrong secret', good.replace('SECRET', 'sls_wrong'), 401, 'invalid_client'],
  ['an unknown client', good.replace('=ID', '=nobody'), 401, 'invalid_client'],
])('%s is rejected as RFC 6749 says', async (_what, form, status, error) => {
  const response = await post(form)
  expect(response.statusCode).toBe(status)
  expect(response.headers['cache-control']).toBe('no-store')
  expect(response.headers['content-type']).toBe('application/json; charset=utf-8')
  expect(response.json()).toEqual({
    ...{ error, error_description: expect.any(String), statusCode: status },
    ...{ code: error.toUpperCase(), message: response.json().error_description },
    requestId: response.headers['x-request-id'],
  })
})

test('a wrong secret and an unknown client cannot be distinguished', async () => {
  const [wrong, unknown] = [
    await post(good.replace('SECRET', 'sls_wrong')),
    await post(good.replace('=ID', '=nobody')),
  ]
  const { requestId: _one, ...first } = wrong.json()
  const { requestId: _two, ...second } = unknown.json()
  expect(first).toEqual(second)
})

test('a failed Basic authentication is challenged with Basic, a failed form is not', async () => {
  const wrong = Buffer.from('bot-1:sls_wrong').toString('base64')
  const basic = await post(GRANT, { headers: { authorization: `Basic ${wrong}` } })
  expect(basic.statusCode).toBe(401)
  expect(basic.headers['www-authenticate']).toBe('Basic realm="sluice"')
  const form = await post(good.replace('SECRET', 'sls_wrong'))
  expect(form.headers['www-authenticate']).toBeUndefined()
})

test('two authentication methods at once are rejected', async () => {
  const response = await post(good, { headers: { authorization: 'Basic GOOD' } })
  expect(response.json()).toMatchObject({ error: 'invalid_request' })
})

test.each(['Basic', 'Basic %%%', 'Basic bm9jb2xvbg=='])(
  'the Authorization header %j is rejected without a 5xx',
  async (authorization) => {
    const response = await post(GRANT, { headers: { authorization } })
    expect(response.statusCode).toBeOneOf([400, 401])
    expect(response.json().error).toBeOneOf(['invalid_request', 'invalid_client'])
  },
)

test('credentials in the address are ignored', async () => {
  const response = await post(GRANT, { query: '?client_id=ID&client_secret=SECRET' })
  expect(response.json()).toMatchObject({ error: 'invalid_request' })
})

test('unknown parameters are ignored', async () => {
  const response = await post(`${good}&resource=https%3A%2F%2Fapi.example`)
  expect(response.statusCode).toBe(200)
})

test('a disabled client gets invalid_client', async () => {
  const response = await post(good, {
    before: ({ id }) => shared().call(toggleClient, { params: { id }, body: { isActive: false } }),
  })
  expect(response.json()).toMatchObject({ statusCode: 401, error: 'invalid_client' })
})

test('a JSON body is rejected: the endpoint takes forms', async () => {
  const json = { grant_type: 'client_credentials', client_id: 'ID', client_secret: 'SECRET' }
  const headers = { 'content-type': 'application/json' }
  const response = await post(JSON.stringify(json), { headers })
  expect(response.statusCode).toBe(400)
  expect(response.json()).toMatchObject({
    error: 'invalid_request',
    error_description: 'Send application/x-www-form-urlencoded',
  })
})

test('the metadata say how the caller reached the gateway, and every way in which it gets a token', async () => {
  const { app } = await testApp({ env: { TRUST_PROXY: '127.0.0.1' } })
  const ask = async (headers: Record<string, string>) =>
    (await app.inject({ url: oauthMetadata.path, headers })).json()
  const forwarded = { host: 'api.example.com', 'x-forwarded-for': '203.0.113.7' }
  // This proxy names no protocol: it is believed to end TLS.
  expect(await ask(forwarded)).toEqual({
    ...{ issuer: 'https://api.example.com', token_endpoint: 'https://api.example.com/oauth/token' },
    grant_types_supported: ['client_credentials'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    ...{ scopes_supported: [...PERMISSIONS], response_types_supported: [] },
  })
  expect(await ask({ ...forwarded, 'x-forwarded-proto': 'https' })).toMatchObject({
    issuer: 'https://api.example.com',
  })
  expect(await ask({ host: 'localhost:8080' })).toMatchObject({ issuer: 'http://localhost:8080' })
})
