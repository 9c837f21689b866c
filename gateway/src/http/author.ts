import { isIP } from 'node:net'
import { normalizeIP } from '@fastify/rate-limit'
import type { FastifyRequest } from 'fastify'

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

const WITH_PORT = /^(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+)$/

/**
 * The key that counts a caller's attempts: its address without the port that some proxies add (RFC
 * 7239, section 6). For IPv6 it is the /64 network, because one caller has all of its addresses.
 * When a proxy forwards no address, the proxy itself is counted.
 */
export function callerAddress(request: Pick<FastifyRequest, 'ip' | 'socket'>): string {
  return normalizeIP(exactAddress(request))
}

/** A caller's own address, also without a port; the proxy's when it forwards none. */
export function exactAddress({ ip, socket }: Pick<FastifyRequest, 'ip' | 'socket'>): string {
  const [, v6, v4] = WITH_PORT.exec(ip) ?? []
  const address = v6 ?? v4 ?? ip
  return isIP(address) === 0 ? (socket.remoteAddress ?? '') : address
}

/** Whom a limit of attempts counts. */
interface CountedCaller {
  readonly address: string
  /** Nobody vouches for the address: the caller may have invented it. */
  readonly isClaimed?: true
}

/**
 * Whom to count a request for. Behind a proxy that TRUST_PROXY does not name, that is the address
 * that the proxy names last, so that one caller does not use up the attempts of all others.
 * @returns no address when such a proxy names none
 */
export function countedCaller(request: FastifyRequest): CountedCaller | undefined {
  if (!request.isThroughUnknownProxy) return { address: callerAddress(request) }
  const ip = lastNamed(request.headers)
  if (ip === undefined) return undefined
  const { socket } = request
  return { address: `${callerAddress({ ip, socket })} by ${socket.remoteAddress}`, isClaimed: true }
}

/** The last of the addresses that proxies name: the others came with the request. */
function lastNamed(headers: FastifyRequest['headers']): string | undefined {
  const { forwarded, 'x-forwarded-for': list, 'x-real-ip': real } = headers
  // RFC 7239, section 4.
  const pairs = [...(forwarded ?? '').matchAll(/(?:^|[;,\s])for="?([^";,\s]+)/gi)]
  return [list].flat().at(-1)?.split(',').at(-1)?.trim() ?? pairs.at(-1)?.[1] ?? [real].flat()[0]
}
