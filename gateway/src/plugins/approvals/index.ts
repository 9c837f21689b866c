import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Approvable } from '../../http/approvable.ts'
import { inputOf } from '../../http/approvable.ts'
import { authorOf } from '../../http/author.ts'
import { approvalRoutes } from './approval-routes.ts'
import {
  type ApprovableEndpoint,
  type ApprovalServiceDeps,
  createApprovalService,
} from './approval-service.ts'

export interface ApprovalsOptions extends Omit<ApprovalServiceDeps, 'endpoints'> {
  /** Whether what needs an approval waits for it. */
  readonly requireSecondAdmin: boolean
}

/**
 * Makes the routes wait whose endpoints say so, and serves what waits. A route registered later
 * that cannot wait although its endpoint says so makes the start fail. It works without
 * `requireSecondAdmin`, too: what was asked for before can still be decided.
 */
export const approvals = fp<ApprovalsOptions>(
  async (app, { requireSecondAdmin, ...deps }) => {
    const endpoints = new Map<string, ApprovableEndpoint>()
    const service = createApprovalService({ ...deps, endpoints })
    app.decorate('requireSecondAdmin', requireSecondAdmin)
    app.addHook('onRoute', (route) => {
      const { endpoint, approvable } = route.config ?? {}
      if (endpoint?.approval === undefined) return
      if (approvable === undefined) throw new Error(`${endpoint.id} cannot wait for approval`)
      endpoints.set(endpoint.id, { endpoint, approvable })
      if (!requireSecondAdmin) return
      route.preHandler = [
        ...[route.preHandler ?? []].flat(),
        // Last: what waits for an approval waits at the node that would carry it out.
        async (request: FastifyRequest, reply) => {
          const needed = await ask(request, approvable)
          if (needed !== undefined) return reply.code(202).send(needed)
        },
      ]
    })
    await app.register(approvalRoutes, { approvals: service, nowMs: deps.nowMs })

    async function ask(request: FastifyRequest, approvable: Approvable) {
      const { caller, routeOptions } = request
      const { endpoint } = routeOptions.config
      if (caller?.kind !== 'admin' || endpoint === undefined) return undefined
      const author = authorOf(request, deps.nowMs())
      const act = { request, author, isApproved: false }
      const wish = { endpoint, approvable, input: inputOf(request), adminId: caller.adminId }
      return service.ask(wish, act)
    }
  },
  { name: 'approvals', fastify: '5.x', dependencies: ['auth'] },
)
