import type { FastifyRequest } from 'fastify'
import { authorOf, countedCaller } from '../../http/author.ts'
import type { SignIn } from './session-service.ts'

/** Who signs in with a request, from where. */
export function signInOf(request: FastifyRequest, atMs: number): SignIn {
  const { 'user-agent': device, origin } = request.headers
  const countedAddress = countedCaller(request)?.address
  return { author: authorOf(request, atMs), countedAddress, device, origin }
}
