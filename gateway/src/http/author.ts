import type { FastifyRequest } from 'fastify'
import { exactAddress } from './caller-address.ts'

/** Who sends a request, from where and when, for the audit trail. */
export function authorOf(request: FastifyRequest, atMs: number) {
  const from = { atMs, address: exactAddress(request), requestId: request.id }
  const { caller } = request
  if (caller?.kind === 'admin')
    return { ...from, actor: caller.email, actorKind: 'admin' as const, session: caller.jti }
  if (caller?.kind === 'client')
    return { ...from, actor: caller.clientId, actorKind: 'client' as const, session: null }
  return { ...from, actor: 'nobody', actorKind: 'anonymous' as const, session: null }
}
