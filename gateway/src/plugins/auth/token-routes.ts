import formbody from '@fastify/formbody'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  getToken,
  oauthMetadata,
  oauthToken,
  PERMISSIONS,
  type Permission,
  type Token,
} from 'schema'
import { routeOf } from '../../http/route.ts'
import { shownName } from '../../http/shown-text.ts'
import { ClientExpiredError } from '../../upstream/errors.ts'
import { originOf } from './access.ts'
import type { RefuseSecret } from './attempt-limits.ts'
import {
  AddressForbiddenError,
  ClientInactiveError,
  ClientSecretInvalidError,
  PermissionNotGrantedError,
} from './errors.ts'
import type { IssuedToken, TokenService, TokenWish } from './token-service.ts'

/** Anybody may send these requests, and their bodies are short. */
const BODY_BYTES_MAX = 8 * 1024

interface TokenRoutesOptions {
  readonly tokens: TokenService
  readonly refuseSecret: RefuseSecret
}

/** Tokens for clients: in this API's own form and in OAuth's. */
export const tokenRoutes: FastifyPluginAsyncTypebox<TokenRoutesOptions> = async (
  app,
  { tokens, refuseSecret },
) => {
  const issue: IssueToken = (request, wish) =>
    tokens
      .issue(wish, originOf(request))
      .catch((error: unknown) => refuseSecret(request, wish.clientId, error))
  await app.register(oauthRoutes, { issue })

  app.route({
    ...routeOf(getToken),
    bodyLimit: BODY_BYTES_MAX,
    handler: async (request) => toToken(await issue(request, request.body)),
  })
}

export const toToken = ({ token, expiresAtMs, expiresInSeconds }: IssuedToken): Token => ({
  token,
  expiresAt: new Date(expiresAtMs).toISOString(),
  expiresInSeconds,
})

/** OAuth's own form: the only route that takes one. Elsewhere a form gets 415. */
const oauthRoutes: FastifyPluginAsyncTypebox<{ issue: IssueToken }> = async (app, { issue }) => {
  await app.register(formbody, { bodyLimit: BODY_BYTES_MAX })

  app.route({
    ...routeOf(oauthMetadata),
    handler: async (request) => oauthMetadataOf(issuerOf(request)),
  })

  app.route({
    ...routeOf(oauthToken),
    bodyLimit: BODY_BYTES_MAX,
    // OAuth has its own format for invalid requests, so this code parses the form and not the
    // validator.
    validatorCompiler: () => (value) => ({ value }),
    handler: async (request) => {
      requireForm(request)
      const client = readOAuthRequest({ ...request.body }, request.headers.authorization)
      const issued = await issue(request, client).catch((error: unknown) => {
        throw toOAuthError(error, client)
      })
      return {
        access_token: issued.token,
        token_type: 'Bearer',
        expires_in: issued.expiresInSeconds,
        scope: issued.permissions.join(' '),
      }
    },
    errorHandler: (error, request, reply) => {
      if (!(error instanceof OAuthError)) throw error
      return sendOAuthError(error, request, reply)
    },
  })
}

/** Without X-Forwarded-Proto, a trusted proxy is assumed to end TLS (`http/proxies.ts`). */
function issuerOf({ protocol, host, headers, ip, socket }: FastifyRequest): string {
  const isBehindTls = ip !== socket.remoteAddress && headers['x-forwarded-proto'] === undefined
  return `${isBehindTls ? 'https' : protocol}://${host}`
}

type IssueToken = (request: FastifyRequest, wish: TokenWish) => Promise<IssuedToken>

/** RFC 6749, 4.4.2: parameters come as a form. A request without a body has no type. */
function requireForm({ headers, body }: FastifyRequest): void {
  const type = headers['content-type'] ?? ''
  if (body !== undefined && !/^application\/x-www-form-urlencoded *(;|$)/i.test(type))
    throw new OAuthError('invalid_request', 'Send application/x-www-form-urlencoded')
}

/** RFC 6749, 5.2: the client is unknown, or it may not be used. */
function isOfClient(error: unknown): error is Error {
  return [
    ClientSecretInvalidError,
    ClientInactiveError,
    ClientExpiredError,
    AddressForbiddenError,
  ].some((kind) => error instanceof kind)
}

function toOAuthError(error: unknown, client: OAuthClient): unknown {
  if (isOfClient(error)) return new OAuthError('invalid_client', error.message, client)
  // RFC 6749, 5.2: the scope exceeds what was granted.
  if (error instanceof PermissionNotGrantedError)
    return new OAuthError('invalid_scope', error.message)
  return error
}

/** RFC 6749, 5.2, together with the fields of every other error of this API. */
function sendOAuthError(error: OAuthError, request: FastifyRequest, reply: FastifyReply) {
  const code = error.oauthCode.toUpperCase()
  request.errorCode = code
  return reply
    .code(error.statusCode)
    .headers(error.headers)
    .serializer(JSON.stringify)
    .type('application/json; charset=utf-8')
    .send({
      error: error.oauthCode,
      error_description: error.message,
      statusCode: error.statusCode,
      code,
      message: error.message,
      requestId: request.id,
    })
}

/** An error of RFC 6749, 5.2. */
class OAuthError extends Error {
  readonly oauthCode: string
  readonly statusCode: number
  readonly headers: Readonly<Record<string, string>>
  constructor(
    oauthCode: 'invalid_request' | 'invalid_client' | 'unsupported_grant_type' | 'invalid_scope',
    message: string,
    { usedBasic = false }: { usedBasic?: boolean } = {},
  ) {
    super(message)
    this.name = 'OAuthError'
    this.oauthCode = oauthCode
    this.statusCode = oauthCode === 'invalid_client' ? 401 : 400
    this.headers = usedBasic ? { 'www-authenticate': 'Basic realm="sluice"' } : {}
  }
}

/**
 * Where and how a token is issued (RFC 8414, 2).
 * @param issuer how the caller reached the gateway
 */
function oauthMetadataOf(issuer: string) {
  return {
    issuer,
    token_endpoint: `${issuer}${oauthToken.path}`,
    grant_types_supported: ['client_credentials'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    scopes_supported: [...PERMISSIONS],
    response_types_supported: [],
  }
}

interface OAuthClient {
  readonly clientId: string
  readonly clientSecret: string
  readonly permissions: readonly Permission[] | undefined
  readonly usedBasic: boolean
}

/**
 * Reads a client-credentials request (RFC 6749, 4.4): the id and secret, from the Basic header or
 * the form, and the scope.
 * @throws OAuthError
 */
function readOAuthRequest(
  form: Readonly<Record<string, unknown>>,
  authorization: string | undefined,
): OAuthClient {
  for (const [name, value] of Object.entries(form)) {
    if (typeof value !== 'string')
      throw new OAuthError('invalid_request', `The parameter "${shownName(name)}" is repeated`)
  }
  const { grant_type, client_id, client_secret, scope } = form
  if (grant_type === undefined)
    throw new OAuthError('invalid_request', 'The parameter "grant_type" is missing')
  if (grant_type !== 'client_credentials')
    throw new OAuthError('unsupported_grant_type', 'Only "client_credentials" is supported')

  const basic = readBasic(authorization)
  if (basic !== undefined && client_secret !== undefined)
    throw new OAuthError(
      'invalid_request',
      'Use one way to authenticate: Basic or the form, not both',
    )
  const [clientId, clientSecret] = basic ?? [client_id, client_secret]
  if (typeof clientId !== 'string' || typeof clientSecret !== 'string')
    throw new OAuthError('invalid_request', 'Send client_id and client_secret, or HTTP Basic')
  return {
    clientId,
    clientSecret,
    permissions: readScope(scope),
    usedBasic: basic !== undefined,
  }
}

/** Id and secret are form-encoded in the Basic header (RFC 6749, 2.3.1). */
function readBasic(authorization: string | undefined): readonly [string, string] | undefined {
  const [, encoded] = /^Basic +([\w+/=-]+) *$/i.exec(authorization ?? '') ?? []
  if (encoded === undefined) return undefined
  const text = Buffer.from(encoded, 'base64').toString()
  const colon = text.indexOf(':')
  if (colon === -1)
    throw new OAuthError('invalid_client', 'The Basic credentials have no colon', {
      usedBasic: true,
    })
  try {
    return [formDecode(text.slice(0, colon)), formDecode(text.slice(colon + 1))]
  } catch {
    // A secret with a bare % was not form-encoded by its sender; use it unchanged.
    return [text.slice(0, colon), text.slice(colon + 1)]
  }
}

const formDecode = (text: string) => decodeURIComponent(text.replaceAll('+', ' '))

function readScope(scope: unknown): readonly Permission[] | undefined {
  if (typeof scope !== 'string' || scope.trim() === '') return undefined
  const asked = scope.trim().split(/ +/)
  const unknown = asked.find((name) => !PERMISSIONS.some((permission) => permission === name))
  if (unknown !== undefined)
    throw new OAuthError(
      'invalid_scope',
      `Unknown scope "${shownName(unknown)}"; the scopes are ${PERMISSIONS.join(', ')}`,
    )
  return PERMISSIONS.filter((permission) => asked.includes(permission))
}
