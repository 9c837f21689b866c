import type { FastifyRequest } from 'fastify'

/** Logs a change by an administrator: who, from where, what. It contains no secret. */
export function auditLog(
  request: FastifyRequest,
  change: string,
  what: Readonly<Record<string, string | number>>,
): void {
  const admin = request.caller?.kind === 'admin' ? request.caller.email : null
  request.log.info({ audit: true, admin, from: request.ip, ...what }, change)
}
