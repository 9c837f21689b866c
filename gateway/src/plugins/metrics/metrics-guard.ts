import { createHash, timingSafeEqual } from 'node:crypto'
import { BlockList } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { MetricsLocalOnlyError, MetricsTokenInvalidError } from './errors.ts'

/**
 * Headers that proxies add: a request with one of them comes from elsewhere, even over a local
 * connection.
 */
const FORWARDING_HEADERS = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
] as const

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/**
 * Allows requests with the right token. Without METRICS_TOKEN, only this machine may read the
 * metrics.
 * @throws MetricsTokenInvalidError, MetricsLocalOnlyError
 */
export function createMetricsGuard(token: string | undefined): (request: FastifyRequest) => void {
  if (token === undefined) return requireLocal
  const expected = digestOf(`Bearer ${token}`)
  return ({ headers }) => {
    if (!timingSafeEqual(digestOf(headers.authorization ?? ''), expected))
      throw new MetricsTokenInvalidError()
  }
}

/** Uses the connection's own address, not the one that TRUST_PROXY takes from a header. */
function requireLocal({ headers, hostname, socket }: FastifyRequest): void {
  const address = socket.remoteAddress ?? ''
  const isLocal = loopback.check(address, address.includes(':') ? 'ipv6' : 'ipv4')
  // A proxy on this machine that adds no header still passes on the host name of the request.
  const isAskedLocally = /^(localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/.test(hostname)
  if (!isLocal || !isAskedLocally || FORWARDING_HEADERS.some((name) => headers[name] !== undefined))
    throw new MetricsLocalOnlyError()
}

/** Digests have equal length, so that texts of any length are compared in constant time. */
const digestOf = (text: string) => createHash('sha256').update(text).digest()
