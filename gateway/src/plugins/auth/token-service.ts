import { randomUUID } from 'node:crypto'
import { PERMISSIONS, type Permission, TOKEN_TTL_SECONDS } from 'schema'
import type { ClientBudget } from '../../http/client-budget.ts'
import type { ClientRow, ClientStore } from '../../store/client-store.ts'
import type { SecretStore } from '../../store/secret-store.ts'
import type { TokenStore } from '../../store/token-store.ts'
import type { ClientSecrets } from '../../vault/client-secret.ts'
import type { ClientAccess, ClientCaller, Origin } from './access.ts'
import {
  ClientInactiveError,
  ClientSecretInvalidError,
  PermissionNotGrantedError,
  SecretAsBearerOffError,
  TokenExpiredError,
  TokenInvalidError,
  TokenRevokedError,
} from './errors.ts'
import type { GivenSecret } from './guard.ts'
import type { Claims, Tokens } from './tokens.ts'

/** The version of the permissions in a token's scope. In version 1 `trade` covers `settings`. */
const SCOPE_VERSION = 2

export interface TokenWish extends GivenSecret {
  /** May shorten the token's lifetime, not extend it. */
  readonly expiresIn?: number | undefined
  /** Absent: all permissions that the client has. */
  readonly permissions?: readonly Permission[] | undefined
}

export interface IssuedToken {
  readonly token: string
  readonly expiresAtMs: number
  readonly expiresInSeconds: number
  readonly permissions: readonly Permission[]
}

interface TokenServiceDeps {
  readonly tokenStore: Pick<TokenStore, 'insert' | 'findByJti'>
  readonly findClient: SecretCheck
  readonly secretUses: Pick<SecretUses, 'used'>
  readonly tokens: Tokens
  readonly access: ClientAccess
  readonly budget: Pick<ClientBudget, 'requireToken' | 'takeToken'>
  readonly nowMs: () => number
}

/** Client tokens: issued for id and secret, and valid as long as the client's record allows it. */
export function createTokenService(deps: TokenServiceDeps) {
  const { findClient, access, budget } = deps
  return {
    /**
     * @throws ClientSecretInvalidError (also for an unknown id, after the same time),
     * ClientInactiveError, ClientExpiredError, AddressForbiddenError, ClientTokensExceededError,
     * PermissionNotGrantedError when the request asks for more than the client has
     */
    async issue(wish: TokenWish, origin: Origin): Promise<IssuedToken> {
      await budget.requireToken(wish.clientId)
      const client = await activeClient(deps, wish, origin)
      const refusal = access.refusal(client, origin)
      if (refusal !== undefined) throw refusal

      const permissions = wish.permissions ?? client.permissions
      const missing = permissions.find((permission) => !client.permissions.includes(permission))
      if (missing !== undefined) throw new PermissionNotGrantedError(missing)
      await budget.takeToken(client.clientId)
      const issued = await grant(deps, client, permissions, wish.expiresIn)
      // The secret may have ended before the token was stored: then its end did not revoke the
      // token.
      if ((await findClient(wish.clientId, wish.clientSecret)) === undefined)
        throw new ClientSecretInvalidError()
      return issued
    },

    /**
     * Issues a token to an administrator, as the client itself would get it.
     * @param record runs once nothing refuses the token, and before there is one
     * @throws ClientInactiveError, ClientExpiredError, AddressForbiddenError,
     * ClientTokensExceededError, ClientGoneError when the client was deleted in the meantime
     */
    async issueToAdmin(
      client: ClientRow,
      origin: Origin,
      record: () => Promise<unknown>,
    ): Promise<IssuedToken> {
      if (!client.active) throw new ClientInactiveError()
      const refusal = access.refusal(client, origin)
      if (refusal !== undefined) throw refusal
      await budget.takeToken(client.clientId)
      await record()
      return grant(deps, client, client.permissions)
    },

    /**
     * Returns the token's client, with the permissions that both the token and the client's current
     * record have.
     * @throws TokenInvalidError, TokenExpiredError, TokenRevokedError
     */
    authenticate: async (token: string): Promise<ClientCaller> =>
      (await authenticateUntil(deps, token)).caller,

    /** As `authenticate`, with the time when the token expires. */
    authenticateUntil: (token: string) => authenticateUntil(deps, token),

    /**
     * Returns the client whose secret came in place of a token. A keyed hash is as quick to check
     * as the signature of a token, so nothing is remembered, and what ends a secret ends it at
     * once.
     * @throws ClientSecretInvalidError, ClientInactiveError, SecretAsBearerOffError
     */
    async authenticateSecret(given: GivenSecret, origin: Origin): Promise<ClientCaller> {
      const caller = callerOf(await activeClient(deps, given, origin))
      if (caller.limits?.secretAsBearer !== true) throw new SecretAsBearerOffError()
      return caller
    },

    /**
     * Returns the client whose id and secret came in the message that signs in to a socket: like a
     * request for a token, any client may do that.
     * @throws ClientSecretInvalidError, ClientInactiveError
     */
    authenticateSignIn: async (given: GivenSecret, origin: Origin): Promise<ClientCaller> =>
      callerOf(await activeClient(deps, given, origin)),
  }
}
export type TokenService = ReturnType<typeof createTokenService>

/** @throws TokenInvalidError, TokenExpiredError, TokenRevokedError */
async function authenticateUntil(
  { tokens, tokenStore, nowMs }: Pick<TokenServiceDeps, 'tokens' | 'tokenStore' | 'nowMs'>,
  token: string,
): Promise<{ readonly caller: ClientCaller; readonly expiresAtMs: number }> {
  const claims = tokens.verify('client', token)
  const state = await tokenStore.findByJti(claims.jti)
  if (state?.clientId !== claims.sub) throw new TokenInvalidError()
  if (state.expiresAtMs <= nowMs()) throw new TokenExpiredError()
  if (!state.active || state.revokedAtMs !== null) throw new TokenRevokedError()
  const scope = scopeOf(claims)
  const permissions = PERMISSIONS.filter(
    (permission) => scope.includes(permission) && state.permissions.includes(permission),
  )
  const { clientRef, clientId, limits, expiresAtMs } = state
  return { caller: { kind: 'client', clientRef, clientId, limits, permissions }, expiresAtMs }
}

function callerOf({ id, clientId, permissions, limits }: ClientRow): ClientCaller {
  return { kind: 'client', clientRef: id, clientId, permissions, limits }
}

/** Stores a token, and signs it. */
async function grant(
  { tokenStore, tokens, nowMs }: Pick<TokenServiceDeps, 'tokenStore' | 'tokens' | 'nowMs'>,
  { id: clientRef, clientId: sub }: ClientRow,
  permissions: readonly Permission[],
  wishedSeconds = TOKEN_TTL_SECONDS,
): Promise<IssuedToken> {
  const expiresInSeconds = Math.min(wishedSeconds, TOKEN_TTL_SECONDS)
  const iat = Math.floor(nowMs() / 1000)
  const exp = iat + expiresInSeconds
  const jti = randomUUID()
  await tokenStore.insert({ jti, clientRef, issuedAtMs: iat * 1000, expiresAtMs: exp * 1000 })
  const claims = { jti, sub, scope: permissions.join(' '), ver: SCOPE_VERSION, iat, exp }
  const token = await tokens.sign('client', claims)
  return { token, expiresAtMs: exp * 1000, expiresInSeconds, permissions }
}

/** @throws ClientSecretInvalidError, ClientInactiveError */
async function activeClient(
  { findClient, secretUses }: Pick<TokenServiceDeps, 'findClient' | 'secretUses'>,
  given: GivenSecret,
  { address }: Origin,
): Promise<ClientRow> {
  const found = await findClient(given.clientId, given.clientSecret)
  if (found === undefined) throw new ClientSecretInvalidError()
  const { client } = found
  secretUses.used(client.id, found.preview, address)
  if (!client.active) throw new ClientInactiveError()
  return client
}

/** A token of version 1 keeps what `trade` allowed when it was issued. */
function scopeOf({ scope = '', ver = 1 }: Claims): string[] {
  const names = scope.split(' ')
  return ver < SCOPE_VERSION && names.includes('trade') ? [...names, 'settings'] : names
}

interface SecretCheckDeps {
  readonly clients: Pick<ClientStore, 'findByClientId'>
  readonly secretStore: Pick<SecretStore, 'findOld'>
  readonly secrets: Pick<ClientSecrets, 'match' | 'dummyHash'>
  readonly nowMs: () => number
}

/** A client, and the preview of the secret that it was found by. */
interface FoundClient {
  readonly client: ClientRow
  readonly preview: string
}

/** The row id of no client. */
const NOBODY = 0

/**
 * Finds the client with an id and one of its secrets, the current one or the old one. An unknown id
 * and a wrong secret take the same time, and so do a client with and without an old secret.
 */
export function createSecretCheck({ clients, secretStore, secrets, nowMs }: SecretCheckDeps) {
  return async (clientId: string, secret: string): Promise<FoundClient | undefined> => {
    const client = await clients.findByClientId(clientId)
    const old = await secretStore.findOld(client?.id ?? NOBODY, nowMs())
    const { dummyHash } = secrets
    const match = secrets.match(secret, [client?.secretHash ?? dummyHash, old?.hash ?? dummyHash])
    if (client === undefined || match === -1) return undefined
    return { client, preview: match === 0 ? client.secretPreview : (old?.preview ?? '') }
  }
}
type SecretCheck = ReturnType<typeof createSecretCheck>

/** A secret that is used all the time is recorded once in this time. */
const RECORD_EVERY_MS = 60_000
/** From another address than before it is recorded sooner: two of them may take turns. */
const RECORD_MOVE_EVERY_MS = 10_000
const SECRETS_MAX = 10_000

interface SecretUsesParts {
  readonly secretStore: Pick<SecretStore, 'noteUse'>
  readonly nowMs: () => number
  /** Called when a use could not be recorded. */
  readonly onError: (error: unknown) => void
}

/** Records when and from where the secrets of clients are used; no request waits for it. */
export class SecretUses {
  readonly #parts: SecretUsesParts
  readonly #recorded = new Map<string, { readonly atMs: number; readonly address: string }>()

  constructor(parts: SecretUsesParts) {
    this.#parts = parts
  }

  used(clientRef: number, preview: string, address: string): void {
    const { secretStore, nowMs, onError } = this.#parts
    const key = `${clientRef} ${preview}`
    const usedAtMs = nowMs()
    const last = this.#recorded.get(key)
    const everyMs = last?.address === address ? RECORD_EVERY_MS : RECORD_MOVE_EVERY_MS
    if (last !== undefined && usedAtMs - last.atMs < everyMs) return
    if (this.#recorded.size >= SECRETS_MAX) this.#recorded.clear()
    this.#recorded.set(key, { atMs: usedAtMs, address })
    secretStore.noteUse({ clientRef, preview, usedAtMs, address }).catch(onError)
  }
}
