import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { approve, listApprovals, rejectApproval, withdrawApproval } from 'schema'
import { type Approvable, inputOf } from '../../http/approvable.ts'
import { authorOf } from '../../http/author.ts'
import { routeOf } from '../../http/route.ts'
import {
  type ApprovableEndpoint,
  type ApprovalService,
  type ApprovalServiceDeps,
  createApprovalService,
  type Decider,
} from './approval-service.ts'
import { NotOwnRequestError } from './errors.ts'

const approvalRoutes: FastifyPluginAsyncTypebox<{
  approvals: ApprovalService
  nowMs: () => number
}> = async (app, { approvals, nowMs }) => {
  app.addHook('onSend', (_request, reply, _payload, done) => {
    // The result of an approval may have a password.
    reply.header('cache-control', 'no-store')
    done()
  })

  app.route({
    ...routeOf(listApprovals),
    handler: async (request) => approvals.list(request.query.state),
  })

  app.route({
    ...routeOf(approve),
    handler: async (request) => approvals.approve(request.params.id, deciderOf(request, nowMs)),
  })

  app.route({
    ...routeOf(rejectApproval),
    handler: async (request) =>
      approvals.reject(request.params.id, request.body.reason, deciderOf(request, nowMs)),
  })

  app.route({
    ...routeOf(withdrawApproval),
    handler: async (request) => approvals.withdraw(request.params.id, deciderOf(request, nowMs)),
  })
}

/** @throws NotOwnRequestError without a session, which the guard has rejected before */
function deciderOf(request: FastifyRequest, nowMs: () => number): Decider {
  const { caller } = request
  if (caller?.kind !== 'admin') throw new NotOwnRequestError()
  return { adminId: caller.adminId, request, author: authorOf(request, nowMs()) }
}

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
