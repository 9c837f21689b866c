import { isIP } from 'node:net'
import { normalizeIP } from '@fastify/rate-limit'
import type { FastifyRequest } from 'fastify'

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
