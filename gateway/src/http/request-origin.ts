import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { normalizeIP } from '@fastify/rate-limit'
import type { FastifyInstance, FastifyRequest } from 'fastify'

/**
 * A request id that begins with the time (RFC 9562, UUIDv7): a log of many days finds it by its
 * time, and the journal appends its rows instead of inserting them anywhere.
 */
export function createRequestId(nowMs: number): string {
  const time = Math.floor(nowMs).toString(16).padStart(12, '0')
  // The random part is that of a version 4; its 14th digit is the version.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`
}

/** When a request came, by its id. */
export function timeOfRequestId(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
}

/** What another node of the group knows of a request that it passed to this one. */
export interface PassedRequest {
  /** Both nodes use the same id. */
  readonly requestId: string
  /** The caller's address, as the node determined it that the caller connected to. */
  readonly address: string
  /** The node that passed it. */
  readonly nodeId: string
}

const passed = new WeakMap<IncomingMessage, PassedRequest>()

/** Only the listener for other nodes may call it: it has checked who sent the request. */
export function markPassed(request: IncomingMessage, from: PassedRequest): void {
  passed.set(request, from)
}

const passedOn = new WeakSet<object>()

/** Another node carries a request out, and does what follows from its result. */
export function markPassedOn(request: FastifyRequest): void {
  passedOn.add(request.raw)
}

export function wasPassedOn(request: FastifyRequest): boolean {
  return passedOn.has(request.raw)
}

/** Undefined for a request that came from a caller directly. */
export function passedRequestOf(request: IncomingMessage): PassedRequest | undefined {
  return passed.get(request)
}

/**
 * Gives a request that another node passed the address of its caller. Call it before anything that
 * looks at addresses.
 */
export function takePassedRequests(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const from = passed.get(request.raw)
    if (from !== undefined) Object.defineProperty(request, 'ip', { value: from.address })
    done()
  })
}

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
