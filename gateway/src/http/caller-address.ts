import { isIP } from 'node:net'
import { normalizeIP } from '@fastify/rate-limit'
import type { FastifyRequest } from 'fastify'

const WITH_PORT = /^(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+)$/

/**
 * What a caller's attempts are counted by: its address without the port that some proxies add (RFC 7239, section
 * 6); of IPv6 the network of 64 bits, all of which one caller has. A proxy that forwards no address is counted
 * itself.
 */
export function callerAddress({ ip, socket }: Pick<FastifyRequest, 'ip' | 'socket'>): string {
  const [, v6, v4] = WITH_PORT.exec(ip) ?? []
  const address = v6 ?? v4 ?? ip
  return normalizeIP(isIP(address) === 0 ? (socket.remoteAddress ?? '') : address)
}
