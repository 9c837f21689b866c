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
import { actsWith, type By } from '../../http/act.ts'
import { authorOf } from '../../http/author.ts'
import { countedCaller } from '../../http/caller-address.ts'
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
  options,
) => {
  const { ownFactors, nowMs } = options
  const callerOf = (request: FastifyRequest) =>
    ownerOf({ request, author: authorOf(request, nowMs()) })
  app.route({
    ...routeOf(passkeyOptions),
    handler: async (request) => ownFactors.passkeyOptions(callerOf(request)),
  })
  app.route({
    ...routeOf(confirmPasskey),
    handler: async (request) => ownFactors.confirmOptions(callerOf(request)),
  })
  for (const routeWith of acts) app.route(routeWith(options))
}

const ownerOf = ({ request, author }: Pick<By, 'request' | 'author'>): Owner => ({
  caller: adminOf(request),
  author,
  countedAddress: countedCaller(request)?.address,
  origin: request.headers.origin,
})

const act = actsWith<FactorRoutesOptions>()

const acts = [
  act(createTotp, {
    entries: ['second-factor.begun'],
    bodyLimit: BODY_BYTES_MAX,
    run: ({ body }, by, { ownFactors }) => ownFactors.createTotp(body.name, ownerOf(by)),
  }),
  act(confirmTotp, {
    entries: ['second-factor.added'],
    bodyLimit: BODY_BYTES_MAX,
    run: ({ params, body }, by, { ownFactors }) =>
      ownFactors.confirmTotp(params.id, body.code, ownerOf(by)),
  }),
  act(createPasskey, {
    entries: ['second-factor.added'],
    bodyLimit: BODY_BYTES_MAX,
    run: ({ body: { name, response } }, by, { ownFactors }) =>
      ownFactors.createPasskey(name, response, ownerOf(by)),
  }),
  act(renameFactor, {
    entries: ['second-factor.renamed'],
    bodyLimit: BODY_BYTES_MAX,
    run: ({ params, body }, by, { ownFactors }) =>
      ownFactors.rename(params.id, body.name, ownerOf(by)),
  }),
  act(removeFactor, {
    entries: ['second-factor.removed'],
    run: ({ params }, by, { ownFactors }) => ownFactors.remove(params.id, ownerOf(by)),
  }),
  act(createRecoveryCodes, {
    entries: ['recovery-codes.replaced'],
    async run(_input, by, { ownFactors }) {
      return { recoveryCodes: await ownFactors.replaceCodes(ownerOf(by)) }
    },
  }),
]
