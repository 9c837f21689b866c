import { hasRole, LoginRequest, type Role } from 'schema'
import Value from 'typebox/value'
import { OpenIdDeniedError, OpenIdFailedError, OpenIdUnavailableError } from './errors.ts'
import type { OpenIdFlow } from './openid-flow.ts'

interface ProviderSettings extends RoleRules {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** What people call it. */
  readonly name: string
  readonly scopes: string
  readonly redirectUri: string
}

type Library = typeof import('openid-client')
type ServerMetadata = ReturnType<InstanceType<Library['Configuration']>['serverMetadata']>

const TIMEOUT_SECONDS = 10
/** How long what the provider says of itself is kept. */
const METADATA_MS = 3_600_000
/** A provider that did not respond is not asked again before that. */
const RETRY_MS = 5_000
/** OpenID Connect Core, 2. Under an empty one, different people would be the same. */
const SUBJECT_LENGTH_MAX = 255
/** How many sign-ins are verified at a time: each calls the provider. */
const RUNNING_MAX = 20

/**
 * The OpenID Connect provider. Nothing is loaded and nobody is asked before the first sign-in, and
 * no token of the provider is kept.
 */
export class OpenIdProvider {
  readonly settings: ProviderSettings
  readonly #nowMs: () => number
  #metadata: { readonly server: Promise<ServerMetadata>; readonly askedAtMs: number } | undefined
  #failure: { readonly error: Error; readonly atMs: number } | undefined
  #running = 0

  constructor(settings: ProviderSettings, nowMs: () => number) {
    this.settings = settings
    this.#nowMs = nowMs
  }

  /**
   * Where the browser goes.
   * @throws OpenIdUnavailableError
   */
  async addressOf({ purpose, state, nonce, verifier }: OpenIdFlow): Promise<string> {
    const library = await loadLibrary()
    const configuration = await this.#configure(library)
    return library.buildAuthorizationUrl(configuration, {
      redirect_uri: this.settings.redirectUri,
      scope: this.settings.scopes,
      ...{ state, nonce },
      code_challenge: await library.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      // OpenID Connect Core, 3.1.2.1: the person shows who they are again, also with a session
      // there.
      ...(purpose === 'confirm' ? { prompt: 'login', max_age: '0' } : {}),
    }).href
  }

  /**
   * Verifies what the browser came back with: state, code, PKCE, and the ID token with its
   * signature, issuer, audience, times and nonce.
   * @param query of the callback, with its question mark
   * @throws OpenIdFailedError, OpenIdDeniedError, OpenIdUnavailableError
   */
  async verify(query: string, flow: OpenIdFlow): Promise<OpenIdClaims> {
    if (this.#running >= RUNNING_MAX) throw new OpenIdUnavailableError()
    this.#running += 1
    const library = await loadLibrary()
    try {
      return await this.#verify(library, query, flow)
    } catch (error) {
      throw toRejection(library, error)
    } finally {
      this.#running -= 1
    }
  }

  async #verify(library: Library, query: string, flow: OpenIdFlow): Promise<OpenIdClaims> {
    // New for each sign-in: its keys are read now, so that a key that the provider has just begun
    // to use is known.
    const configuration = await this.#configure(library)
    library.enableNonRepudiationChecks(configuration)
    const response = await library.authorizationCodeGrant(
      configuration,
      new URL(query, this.settings.redirectUri),
      {
        pkceCodeVerifier: flow.verifier,
        expectedState: flow.state,
        expectedNonce: flow.nonce,
        idTokenExpected: true,
      },
    )
    const claims = response.claims()
    if (claims === undefined) throw new OpenIdFailedError()
    if (claims.sub.length === 0 || claims.sub.length > SUBJECT_LENGTH_MAX)
      throw new OpenIdFailedError({ cause: new Error('sub is empty or too long') })
    const { userinfo_endpoint: more } = configuration.serverMetadata()
    if (isComplete(claims, this.settings) || more === undefined)
      return toClaims(claims.sub, claims, this.settings)
    const others = await library.fetchUserInfo(configuration, response.access_token, claims.sub)
    return toClaims(claims.sub, { ...others, ...claims }, this.settings)
  }

  async #configure(library: Library) {
    const server = await this.#serverMetadata(library)
    const { clientId } = this.settings
    const skewSeconds = Math.round((this.#nowMs() - Date.now()) / 1000)
    const configuration = new library.Configuration(
      server,
      clientId,
      { [library.clockSkew]: skewSeconds },
      this.#authentication(library),
    )
    configuration.timeout = TIMEOUT_SECONDS
    if (this.#isPlain()) library.allowInsecureRequests(configuration)
    return configuration
  }

  #serverMetadata(library: Library): Promise<ServerMetadata> {
    const nowMs = this.#nowMs()
    const isRecent = (atMs: number, lifeMs: number) => atMs <= nowMs && nowMs - atMs < lifeMs
    if (this.#failure !== undefined && isRecent(this.#failure.atMs, RETRY_MS))
      throw new OpenIdUnavailableError({ cause: this.#failure.error })
    if (this.#metadata !== undefined && isRecent(this.#metadata.askedAtMs, METADATA_MS))
      return this.#metadata.server
    const server = this.#discover(library).catch((cause: unknown) => {
      const error = new Error(reasonOf(cause))
      this.#metadata = undefined
      this.#failure = { error, atMs: this.#nowMs() }
      throw new OpenIdUnavailableError({ cause: error })
    })
    this.#metadata = { server, askedAtMs: nowMs }
    return server
  }

  async #discover(library: Library): Promise<ServerMetadata> {
    const { issuer, clientId } = this.settings
    const configuration = await library.discovery(
      new URL(issuer),
      clientId,
      undefined,
      this.#authentication(library),
      {
        timeout: TIMEOUT_SECONDS,
        execute: this.#isPlain() ? [library.allowInsecureRequests] : [],
      },
    )
    return configuration.serverMetadata()
  }

  /** By the method that the provider states; HTTP Basic when it states none (Discovery 1.0, 3). */
  #authentication(library: Library): ReturnType<Library['ClientSecretBasic']> {
    const basic = library.ClientSecretBasic(this.settings.clientSecret)
    const post = library.ClientSecretPost(this.settings.clientSecret)
    return (server, ...others) => {
      const methods = server.token_endpoint_auth_methods_supported
      const takesBasic = methods === undefined || methods.includes('client_secret_basic')
      return (takesBasic ? basic : post)(server, ...others)
    }
  }

  /** The settings allow plain HTTP to this machine, and to what ALLOW_INSECURE_ORIGINS names. */
  #isPlain(): boolean {
    return new URL(this.settings.issuer).protocol === 'http:'
  }
}

const loadLibrary = (): Promise<Library> => import('openid-client')

/** What a failure means to the person, with its reason for the audit trail. */
function toRejection(library: Library, error: unknown): Error {
  if (error instanceof OpenIdUnavailableError || error instanceof OpenIdFailedError) return error
  const cause = new Error(reasonOf(error))
  if (error instanceof library.AuthorizationResponseError) {
    if (error.error === 'access_denied') return new OpenIdDeniedError({ cause })
    const isDown = ['server_error', 'temporarily_unavailable'].includes(error.error)
    return isDown ? new OpenIdUnavailableError({ cause }) : new OpenIdFailedError({ cause })
  }
  const isUnreachable = error instanceof TypeError || codeOf(error) === 'OAUTH_TIMEOUT'
  const { cause: response } = Object(error)
  const isBroken = response instanceof Response && response.status >= 500
  return isUnreachable || isBroken
    ? new OpenIdUnavailableError({ cause })
    : new OpenIdFailedError({ cause })
}

/**
 * A reason without anything that the provider sent in its own words: the errors of the library
 * carry tokens.
 */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : 'unknown error'
  const { error: sent, cause } = Object(error)
  const isCode = typeof sent === 'string' && /^[a-z_]{1,40}$/.test(sent)
  const { claim } = Object(Object(cause).cause ?? cause)
  const parts = [message, codeOf(error), isCode ? sent : '', typeof claim === 'string' ? claim : '']
  return parts.filter((part) => part !== '').join(', ')
}

function codeOf(error: unknown): string {
  const { code } = Object(error)
  return typeof code === 'string' ? code : ''
}

/** What a provider says of a person. */
export interface OpenIdClaims {
  readonly subject: string
  /** Undefined when there is none, or none that an account can have. */
  readonly email: string | undefined
  readonly isEmailVerified: boolean
  /** The highest of those that the claim's values give; undefined: none. */
  readonly role: Role | undefined
  /** When the person signed in at the provider; undefined when it does not say. */
  readonly authTimeMs: number | undefined
}

interface RoleRules {
  /** A claim's name, or the path to one, with dots. */
  readonly roleClaim: string
  readonly roles: readonly { readonly role: Role; readonly value: string }[]
}

type Claims = Readonly<Record<string, unknown>>

/** Whether an ID token has everything, so that the provider is not asked for more. */
function isComplete(claims: Claims, { roleClaim }: RoleRules): boolean {
  return claims.email !== undefined && claimAt(claims, roleClaim) !== undefined
}

/** @param claims of a token and a response that were verified */
function toClaims(subject: string, claims: Claims, rules: RoleRules): OpenIdClaims {
  const { email, email_verified: isEmailVerified, auth_time: authTime } = claims
  const isAddress = Value.Check(LoginRequest.properties.email, email)
  return {
    subject,
    email: isAddress ? email : undefined,
    isEmailVerified: isEmailVerified === true,
    role: roleIn(claims, rules),
    authTimeMs: typeof authTime === 'number' ? authTime * 1000 : undefined,
  }
}

function roleIn(claims: Claims, { roleClaim, roles }: RoleRules): Role | undefined {
  const values: unknown[] = [claimAt(claims, roleClaim)].flat()
  return roles
    .filter(({ value }) => values.includes(value))
    .map(({ role }) => role)
    .reduce<Role | undefined>(
      (highest, role) => (highest === undefined || hasRole(role, highest) ? role : highest),
      undefined,
    )
}

/** Some names of claims are URLs with dots in them, so the whole name comes first. */
function claimAt(claims: Claims, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path]
  return path
    .split('.')
    .reduce<unknown>(
      (value, name) => (isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined),
      claims,
    )
}

function isObject(value: unknown): value is Claims {
  return typeof value === 'object' && value !== null
}
