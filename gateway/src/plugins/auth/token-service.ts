import { randomUUID } from 'node:crypto'
import { PERMISSIONS, type Permission, TOKEN_TTL_SECONDS } from 'schema'
import type { ClientBudget } from '../../http/client-budget.ts'
import type { TokenStore } from '../../store/token-store.ts'
import type { ClientCaller } from './caller.ts'
import type { ClientAccess, Origin } from './client-access.ts'
import {
  ClientInactiveError,
  ClientSecretInvalidError,
  PermissionNotGrantedError,
  TokenExpiredError,
  TokenInvalidError,
  TokenRevokedError,
} from './errors.ts'
import type { SecretCheck } from './secret-check.ts'
import type { SecretUses } from './secret-uses.ts'
import type { Claims, Tokens } from './tokens.ts'

/** The version of the permissions in a token's scope. In version 1 `trade` covers `settings`. */
const SCOPE_VERSION = 2

export interface TokenWish {
  readonly clientId: string
  readonly clientSecret: string
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

export interface TokenServiceDeps {
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
  const { tokenStore, findClient, secretUses, tokens, access, budget, nowMs } = deps
  return {
    /**
     * @throws ClientSecretInvalidError (also for an unknown id, after the same time),
     * ClientInactiveError, ClientExpiredError, AddressForbiddenError, ClientTokensExceededError,
     * PermissionNotGrantedError when the request asks for more than the client has
     */
    async issue(wish: TokenWish, origin: Origin): Promise<IssuedToken> {
      await budget.requireToken(wish.clientId)
      const found = await findClient(wish.clientId, wish.clientSecret)
      if (found === undefined) throw new ClientSecretInvalidError()
      const { client } = found
      secretUses.used(client.id, found.preview, origin.address)
      if (!client.active) throw new ClientInactiveError()
      const refusal = access.refusal(client, origin)
      if (refusal !== undefined) throw refusal

      const permissions = wish.permissions ?? client.permissions
      const missing = permissions.find((permission) => !client.permissions.includes(permission))
      if (missing !== undefined) throw new PermissionNotGrantedError(missing)
      await budget.takeToken(client.clientId)
      const expiresInSeconds = Math.min(wish.expiresIn ?? TOKEN_TTL_SECONDS, TOKEN_TTL_SECONDS)
      const iat = Math.floor(nowMs() / 1000)
      const exp = iat + expiresInSeconds
      const jti = randomUUID()
      await tokenStore.insert({
        jti,
        clientRef: client.id,
        issuedAtMs: iat * 1000,
        expiresAtMs: exp * 1000,
      })
      // The secret may have ended before the token was stored: then its end did not revoke the
      // token.
      if ((await findClient(wish.clientId, wish.clientSecret)) === undefined)
        throw new ClientSecretInvalidError()
      const scope = permissions.join(' ')
      const { clientId: sub } = client
      const ver = SCOPE_VERSION
      const token = await tokens.sign('client', { jti, sub, scope, ver, iat, exp })
      return { token, expiresAtMs: exp * 1000, expiresInSeconds, permissions }
    },

    /**
     * Returns the token's client, with the permissions that both the token and the client's current
     * record have.
     * @throws TokenInvalidError, TokenExpiredError, TokenRevokedError
     */
    async authenticate(token: string): Promise<ClientCaller> {
      const claims = tokens.verify('client', token)
      const state = await tokenStore.findByJti(claims.jti)
      if (state?.clientId !== claims.sub) throw new TokenInvalidError()
      if (state.expiresAtMs <= nowMs()) throw new TokenExpiredError()
      if (!state.active || state.revokedAtMs !== null) throw new TokenRevokedError()
      const scope = scopeOf(claims)
      return {
        kind: 'client',
        clientRef: state.clientRef,
        clientId: state.clientId,
        limits: state.limits,
        permissions: PERMISSIONS.filter(
          (permission) => scope.includes(permission) && state.permissions.includes(permission),
        ),
      }
    },
  }
}
export type TokenService = ReturnType<typeof createTokenService>

/** A token of version 1 keeps what `trade` allowed when it was issued. */
function scopeOf({ scope = '', ver = 1 }: Claims): string[] {
  const names = scope.split(' ')
  return ver < SCOPE_VERSION && names.includes('trade') ? [...names, 'settings'] : names
}
