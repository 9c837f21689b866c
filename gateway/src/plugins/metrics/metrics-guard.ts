import { createHash, timingSafeEqual } from 'node:crypto'
import { BlockList } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { MetricsLocalOnlyError, MetricsTokenInvalidError } from './errors.ts'

/** What proxies add: a request with one of them comes from somewhere else, whatever its connection says. */
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
 * Lets those read the metrics that bring the token. Without a token of the operator's, only this machine reads them.
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

/** The connection's own address counts, not the one that TRUST_PROXY lets a header tell. */
function requireLocal({ headers, hostname, socket }: FastifyRequest): void {
  const address = socket.remoteAddress ?? ''
  const isLocal = loopback.check(address, address.includes(':') ? 'ipv6' : 'ipv4')
  // A proxy on this machine that adds nothing still passes the name on by which it was asked.
  const isAskedLocally = /^(localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/.test(hostname)
  if (!isLocal || !isAskedLocally || FORWARDING_HEADERS.some((name) => headers[name] !== undefined))
    throw new MetricsLocalOnlyError()
}

/** Texts of any length compared in the same time. */
const digestOf = (text: string) => createHash('sha256').update(text).digest()
