/// <reference path="./oidc-provider.d.ts" />
import { generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider, { type Context } from 'oidc-provider'
import { createAdapter } from './openid-adapter.ts'

export const CLIENT = { id: 'sluice', secret: 'a secret of the provider and the gateway' }

/** What the provider says of somebody, besides the name that they sign in with. */
interface ProviderPerson {
  readonly email?: string
  readonly email_verified?: boolean
  readonly roles?: readonly string[] | string
  readonly [claim: string]: unknown
}

export interface OpenIdTestProvider {
  readonly issuer: string
  /** By the name that they sign in with; it is also their `sub`. */
  readonly people: Map<string, ProviderPerson>
  /** Who signs in at once where a person would fill in the form; null: the form is shown. */
  signsIn: string | null
  /** Changes the claims of ID tokens before they are signed. */
  tamper: ((claims: Record<string, unknown>) => Record<string, unknown>) | null
  /** Signs with another key than the one that is published. */
  signsWrong: boolean
  /** No request gets a response. */
  isDown: boolean
  /** What the token endpoint was asked, as forms, and how it was asked to trust the gateway. */
  readonly tokenRequests: string[]
  /** Signs with a new key from now on. */
  rotate(): void
  close(): Promise<unknown>
}

export interface ProviderOptions {
  readonly redirectUri: string
  /** Of the client at the token endpoint. */
  readonly method?: 'client_secret_basic' | 'client_secret_post'
  /** Whether the claims are in the ID token too, and not only in the user info. */
  readonly isWhole?: boolean
  readonly port?: number
}

interface Signer {
  readonly key: KeyObject
  readonly kid: string
}

const newSigner = (): Signer => ({
  key: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey,
  kid: randomUUID(),
})

/** Of each provider at first: a key takes longer to make than most tests. */
let first: Signer | undefined

/** A real OpenID Connect provider, over HTTP on this machine. */
export async function startOpenIdProvider(options: ProviderOptions): Promise<OpenIdTestProvider> {
  first ??= newSigner()
  let signer = first
  let handle: (request: IncomingMessage, response: ServerResponse) => void = () => {}
  const server = createServer((request, response) => {
    if (state.isDown) request.socket.destroy()
    else handle(request, response)
  })
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const state: OpenIdTestProvider = {
    issuer: `http://127.0.0.1:${port}`,
    people: new Map(),
    ...{ signsIn: null, tamper: null, signsWrong: false, isDown: false, tokenRequests: [] },
    rotate() {
      signer = newSigner()
      handle = handlerOf(state, signer, options)
    },
    close() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(resolve))
    },
  }
  handle = handlerOf(state, signer, options)
  return state
}

function handlerOf(state: OpenIdTestProvider, signer: Signer, options: ProviderOptions) {
  const provider = createProvider(state, signer, options)
  const others = provider.callback()
  return (request: IncomingMessage, response: ServerResponse): void => {
    if (request.url?.startsWith('/interaction/') === true)
      void signInPage(state, provider, request, response)
    else others(request, response)
  }
}

function createProvider(
  state: OpenIdTestProvider,
  { key, kid }: Signer,
  { redirectUri, method = 'client_secret_basic', isWhole = true }: ProviderOptions,
): Provider {
  const provider = new Provider(state.issuer, {
    clients: [
      {
        ...{ client_id: CLIENT.id, client_secret: CLIENT.secret, redirect_uris: [redirectUri] },
        ...{ token_endpoint_auth_method: method, require_auth_time: true },
      },
    ],
    clientAuthMethods: [method],
    jwks: { keys: [{ ...key.export({ format: 'jwk' }), kid, alg: 'RS256', use: 'sig' }] },
    adapter: createAdapter,
    cookies: { keys: ['the tests know it'] },
    conformIdTokenClaims: !isWhole,
    claims: {
      email: ['email', 'email_verified'],
      profile: ['roles', 'groups', 'realm_access'],
      openid: ['sub'],
    },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    ttl: {
      ...{ AccessToken: 600, AuthorizationCode: 60, IdToken: 600, Grant: 600, Session: 600 },
      Interaction: 600,
    },
    findAccount: (_: unknown, accountId: string) => ({
      accountId,
      claims: () => ({ sub: accountId, ...state.people.get(accountId) }),
    }),
    async loadExistingGrant({ oidc }: Context) {
      const { client, session } = oidc
      const grant = new oidc.provider.Grant({
        ...{ clientId: client.clientId, accountId: session.accountId },
      })
      grant.addOIDCScope('openid email profile')
      await grant.save()
      return grant
    },
  })
  provider.use(async (context, next) => {
    await next()
    if (context.path === '/token') tamperWith(context, state, { key, kid })
  })
  return provider
}

/** Signs the ID token of a response again, with other claims or another key. */
function tamperWith(context: Context, state: OpenIdTestProvider, { key, kid }: Signer): void {
  const body = Object(context.body)
  state.tokenRequests.push(JSON.stringify(body))
  if (typeof body.id_token !== 'string' || (state.tamper === null && !state.signsWrong)) return
  const [, part = ''] = body.id_token.split('.')
  const claims = JSON.parse(Buffer.from(part, 'base64url').toString())
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const text = `${encode({ alg: 'RS256', typ: 'JWT', kid })}.${encode(state.tamper?.(claims) ?? claims)}`
  const signature = sign('sha256', Buffer.from(text), state.signsWrong ? newSigner().key : key)
  context.body = { ...body, id_token: `${text}.${signature.toString('base64url')}` }
}

const FORM = `<!doctype html><title>Example ID</title><h1>Example ID</h1>
<form method="post"><label>Name <input name="login" autofocus></label> <button>Continue</button></form>`

/** The provider's own page: asks for a name, or signs somebody in at once. */
async function signInPage(
  state: OpenIdTestProvider,
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  let body = ''
  for await (const chunk of request) body += chunk
  const accountId = new URLSearchParams(body).get('login') ?? state.signsIn
  const finish = (result: object) =>
    provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false })
  if (accountId === 'nobody')
    await finish({ error: 'access_denied', error_description: 'Secret words' })
  else if (accountId !== null) await finish({ login: { accountId } })
  else response.setHeader('content-type', 'text/html').end(FORM)
}
