import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import {
  changeClientLimits,
  getClientLimits,
  hasRole,
  type Role,
  replaceClientLimits,
} from 'schema'
import { type Act, approvableRouteOf, type Review } from '../../http/approvable.ts'
import { routeOf } from '../../http/route.ts'
import { auditLog } from './audit-log.ts'
import { LimitsChangedError } from './errors.ts'
import type { LimitService } from './limit-service.ts'
import type { ChangedBy } from './loosening.ts'

export const limitRoutes: FastifyPluginAsyncTypebox<{
  limits: LimitService
  nowMs: () => number
}> = async (app, { limits: service, nowMs }) => {
  app.route({
    ...routeOf(getClientLimits),
    handler: async (request) => service.read(request.params.id),
  })

  app.route(
    approvableRouteOf(
      replaceClientLimits,
      {
        review: ({ params, body }, act) => reviewed(service.review(params.id, body, false), act),
        async carryOut({ params, body }, act) {
          const { clientId, limits } = await service.replace(params.id, body, changedBy(act))
          auditLog(act.request, 'limits replaced', { clientId, limits: JSON.stringify(body) })
          return limits
        },
      },
      nowMs,
    ),
  )

  app.route(
    approvableRouteOf(
      changeClientLimits,
      {
        // What an operator may not loosen needs no approval: it is refused.
        review: async ({ params, body }, act) =>
          hasRole(roleOfCaller(act.request), 'admin')
            ? reviewed(service.review(params.id, body, true), act)
            : null,
        async carryOut({ params, body }, act) {
          const role = roleOfCaller(act.request)
          const { clientId, limits } = await service.change(params.id, body, changedBy(act), role)
          auditLog(act.request, 'limits changed', { clientId, limits: JSON.stringify(body) })
          return limits
        },
      },
      nowMs,
    ),
  )
}

/** @throws why the caller may not loosen, before it waits for another administrator */
async function reviewed(review: Promise<Review | null>, { request }: Act): Promise<Review | null> {
  const found = await review
  if (found !== null && request.whyNotLoosen !== null) throw request.whyNotLoosen
  return found
}

function changedBy({ request, author, isApproved }: Act): ChangedBy {
  return { author, whyNotLoosen: isApproved ? request.whyNotLoosen : new LimitsChangedError() }
}

function roleOfCaller({ caller }: FastifyRequest): Role {
  return caller?.kind === 'admin' ? caller.role : 'viewer'
}
