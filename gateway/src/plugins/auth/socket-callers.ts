import { hash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { subprotocolTokenOf } from '../../http/open-streams.ts'
import type { ClientAccess, ClientCaller } from './access.ts'
import { originOf } from './access.ts'
import type { RefuseSecret } from './attempt-limits.ts'
import { TokenInvalidError } from './errors.ts'
import { bearerOf, bearerSecretOf, type GivenSecret, TOKEN_FORM } from './guard.ts'
import type { TokenService } from './token-service.ts'

/** A client that has shown who it is, and may have to show it again while a stream is open. */
interface KnownCaller {
  readonly caller: ClientCaller
  /** When its token expires, Unix ms; null: it came with its secret. */
  readonly endsAtMs: number | null
  /** The same for all that came from one address with the same token or secret. */
  readonly credential: string
  /**
   * The client as it is now.
   * @throws why it may not have the stream any more
   */
  readonly again: () => Promise<ClientCaller>
}

/**
 * Who opens a socket. A route for sockets is public for the guard: an SDK that gets 401 dials again
 * at once, so the refusal is said on the socket.
 */
export interface SocketCallers {
  /**
   * By the header, or by the subprotocol `sluice.bearer.<token>`, which a page in a browser can
   * send.
   * @returns undefined when the request has neither
   * @throws the error of a request that is not let in
   */
  ofRequest(request: FastifyRequest): Promise<KnownCaller | undefined>
  /** @throws as the guard */
  ofToken(request: FastifyRequest, token: string): Promise<KnownCaller>
  /**
   * By id and secret in a message. A wrong one counts as in `POST /auth/token`.
   * @throws as there
   */
  ofSecret(request: FastifyRequest, given: GivenSecret): Promise<KnownCaller>
  /**
   * A client by its row, for a key that the gateway gave to it.
   * @param isCall false: it is looked at again
   * @throws as the guard
   */
  mayCall(request: FastifyRequest, caller: ClientCaller, isCall: boolean): ClientCaller
}

export interface SocketCallersDeps {
  readonly tokens: TokenService
  readonly access: ClientAccess
  readonly refuseSecret: RefuseSecret
}

export function createSocketCallers({
  tokens,
  access,
  refuseSecret,
}: SocketCallersDeps): SocketCallers {
  function mayCall(request: FastifyRequest, caller: ClientCaller, isCall: boolean): ClientCaller {
    const error = access.refusal(caller, originOf(request), isCall)
    if (error !== undefined) throw error
    return caller
  }

  async function ofToken(request: FastifyRequest, token: string): Promise<KnownCaller> {
    if (!TOKEN_FORM.test(token)) throw new TokenInvalidError()
    const { caller, expiresAtMs } = await tokens.authenticateUntil(token)
    return {
      caller: mayCall(request, caller, true),
      endsAtMs: expiresAtMs,
      credential: credentialOf(request, token),
      again: async () => mayCall(request, await tokens.authenticate(token), false),
    }
  }

  async function bySecret(
    request: FastifyRequest,
    given: GivenSecret,
    authenticate: TokenService['authenticateSecret'],
  ): Promise<KnownCaller> {
    const look = async (isCall: boolean) =>
      mayCall(request, await authenticate(given, originOf(request)), isCall)
    const caller = await look(true).catch((error: unknown) =>
      refuseSecret(request, given.clientId, error),
    )
    const credential = credentialOf(request, JSON.stringify(given))
    return { caller, endsAtMs: null, credential, again: () => look(false) }
  }

  return {
    mayCall,
    ofToken,
    ofSecret: (request, given) => bySecret(request, given, tokens.authenticateSignIn),
    async ofRequest(request) {
      const token = bearerOf(request) ?? subprotocolTokenOf(request)
      if (token !== undefined) return ofToken(request, token)
      const secret = bearerSecretOf(request)
      if (secret !== undefined) return bySecret(request, secret, tokens.authenticateSecret)
      if (request.headers.authorization !== undefined) throw new TokenInvalidError()
      return undefined
    },
  }
}

const credentialOf = (request: FastifyRequest, secret: string) =>
  `${hash('sha256', secret, 'base64')} ${originOf(request).address}`
