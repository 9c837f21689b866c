import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { approve, listApprovals, rejectApproval, withdrawApproval } from 'schema'
import { authorOf } from '../../http/author.ts'
import { routeOf } from '../../http/route.ts'
import type { ApprovalService, Decider } from './approval-service.ts'
import { NotOwnRequestError } from './errors.ts'

export const approvalRoutes: FastifyPluginAsyncTypebox<{
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
