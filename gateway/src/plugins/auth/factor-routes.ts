import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import {
  confirmPasskey,
  confirmTotp,
  createPasskey,
  createRecoveryCodes,
  createTotp,
  passkeyOptions,
  removeFactor,
  renameFactor,
} from 'schema'
import { authorOf, countedCaller } from '../../http/author.ts'
import { routeOf } from '../../http/route.ts'
import { adminOf } from './caller.ts'
import type { FactorService, Owner } from './factor-service.ts'

const BODY_BYTES_MAX = 16 * 1024

export interface FactorRoutesOptions {
  readonly ownFactors: FactorService
  readonly nowMs: () => number
}

/** The second factors of the person who is signed in. */
export const factorRoutes: FastifyPluginAsyncTypebox<FactorRoutesOptions> = async (
  app,
  { ownFactors, nowMs },
) => {
  const bodyLimit = BODY_BYTES_MAX
  const ownerOf = (request: FastifyRequest): Owner => ({
    caller: adminOf(request),
    author: authorOf(request, nowMs()),
    countedAddress: countedCaller(request)?.address,
    origin: request.headers.origin,
  })

  app.route({
    ...{ ...routeOf(createTotp), bodyLimit },
    handler: async (request, reply) =>
      reply.code(201).send(await ownFactors.createTotp(request.body.name, ownerOf(request))),
  })

  app.route({
    ...{ ...routeOf(confirmTotp), bodyLimit },
    handler: async (request) =>
      ownFactors.confirmTotp(request.params.id, request.body.code, ownerOf(request)),
  })

  app.route({
    ...routeOf(passkeyOptions),
    handler: async (request) => ownFactors.passkeyOptions(ownerOf(request)),
  })

  app.route({
    ...{ ...routeOf(createPasskey), bodyLimit },
    handler: async (request, reply) => {
      const { name, response } = request.body
      return reply.code(201).send(await ownFactors.createPasskey(name, response, ownerOf(request)))
    },
  })

  app.route({
    ...{ ...routeOf(renameFactor), bodyLimit },
    handler: async (request) =>
      ownFactors.rename(request.params.id, request.body.name, ownerOf(request)),
  })

  app.route({
    ...routeOf(removeFactor),
    handler: async (request, reply) => {
      await ownFactors.remove(request.params.id, ownerOf(request))
      return reply.code(204).send(null)
    },
  })

  app.route({
    ...routeOf(createRecoveryCodes),
    handler: async (request, reply) => {
      const recoveryCodes = await ownFactors.replaceCodes(ownerOf(request))
      return reply.code(201).send({ recoveryCodes })
    },
  })

  app.route({
    ...routeOf(confirmPasskey),
    handler: async (request) => ownFactors.confirmOptions(ownerOf(request)),
  })
}
