import type { FastifyRequest } from 'fastify'

/** A line about what an administrator changed: who, from where, what. Never a secret. */
export function auditLog(
  request: FastifyRequest,
  change: string,
  what: Readonly<Record<string, string | number>>,
): void {
  const admin = request.caller?.kind === 'admin' ? request.caller.email : null
  request.log.info({ audit: true, admin, from: request.ip, ...what }, change)
}
