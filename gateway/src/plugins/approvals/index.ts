import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { approve, listApprovals, rejectApproval, withdrawApproval } from 'schema'
import type { Parts } from '../../app/create-parts.ts'
import { type Act, actsWith, byOf, inputOf } from '../../http/act.ts'
import { authorOf } from '../../http/request-origin.ts'
import { routeOf } from '../../http/route.ts'
import {
  type ApprovalParts,
  type ApprovalService,
  createApprovalService,
  type ReviewedAct,
} from './approval-service.ts'

interface ServedParts extends Pick<Parts, 'nowMs'> {
  readonly approvals: ApprovalService
}

const approvalRoutes: FastifyPluginAsyncTypebox<ServedParts> = async (app, parts) => {
  app.addHook('onSend', (_request, reply, _payload, done) => {
    // The result of an approval may have a password.
    reply.header('cache-control', 'no-store')
    done()
  })
  app.route({
    ...routeOf(listApprovals),
    handler: async (request) => parts.approvals.list(request.query.state),
  })
  for (const routeWith of acts) app.route(routeWith(parts))
}

const act = actsWith<ServedParts>()

const acts = [
  act(approve, {
    // The entries of the approved act come as well.
    entries: ['approval.approved', 'approval.failed'],
    run: ({ params }, by, { approvals }) => approvals.approve(params.id, by),
  }),
  act(rejectApproval, {
    entries: ['approval.rejected'],
    run: ({ params, body }, by, { approvals }) => approvals.reject(params.id, body.reason, by),
  }),
  act(withdrawApproval, {
    entries: ['approval.withdrawn'],
    run: ({ params }, by, { approvals }) => approvals.withdraw(params.id, by),
  }),
]

/**
 * Makes the acts wait whose endpoints say so, and serves what waits. A route registered later that
 * cannot wait although its endpoint says so makes the start fail. It works without
 * `REQUIRE_SECOND_ADMIN`, too: what was asked for before can still be decided.
 */
export const approvals = fp<ApprovalParts & Pick<Parts, 'config'>>(
  async (app, parts) => {
    const reviewed = new Map<string, ReviewedAct>()
    const service = createApprovalService(parts, reviewed)
    const { requireSecondAdmin } = parts.config
    app.decorate('requireSecondAdmin', requireSecondAdmin)
    app.addHook('onRoute', (route) => {
      const { endpoint, act } = route.config ?? {}
      if (endpoint?.approval === undefined) return
      if (!canWait(act)) throw new Error(`${endpoint.id} cannot wait for approval`)
      reviewed.set(endpoint.id, act)
      if (!requireSecondAdmin) return
      route.preHandler = [
        ...[route.preHandler ?? []].flat(),
        // Last: what waits for an approval waits at the node that would carry it out.
        async (request: FastifyRequest, reply: FastifyReply) => {
          const by = byOf(request, reply, authorOf(request, parts.nowMs()), false)
          const needed = await service.ask(act, inputOf(request), by)
          if (needed !== undefined) return reply.code(202).send(needed)
        },
      ]
    })
    await app.register(approvalRoutes, { approvals: service, nowMs: parts.nowMs })
  },
  { name: 'approvals', fastify: '5.x', dependencies: ['auth'] },
)

function canWait(act: Act | undefined): act is ReviewedAct {
  return act?.review !== undefined
}
