import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'

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
