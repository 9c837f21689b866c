import { oauthToken, PERMISSIONS, type Permission } from 'schema'
import { shownName } from '../../http/shown-text.ts'

/** An error of RFC 6749, 5.2. */
export class OAuthError extends Error {
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
export function oauthMetadataOf(issuer: string) {
  return {
    issuer,
    token_endpoint: `${issuer}${oauthToken.path}`,
    grant_types_supported: ['client_credentials'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    scopes_supported: [...PERMISSIONS],
    response_types_supported: [],
  }
}

export interface OAuthClient {
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
export function readOAuthRequest(
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
