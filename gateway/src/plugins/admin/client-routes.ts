import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import {
  CLIENT_LIMIT_MAX,
  createClient,
  deleteClient,
  listClients,
  toggleClient,
  updateClient,
} from 'schema'
import { authorOf } from '../../http/author.ts'
import { routeOf } from '../../http/route.ts'
import { auditLog } from './audit-log.ts'
import type { ClientService } from './client-service.ts'
import { ClientOrdersInDoubtError } from './errors.ts'
import type { ChangedBy } from './loosening.ts'

export const clientRoutes: FastifyPluginAsyncTypebox<{
  clients: ClientService
  nowMs: () => number
}> = async (app, { clients, nowMs }) => {
  const changedBy = (request: FastifyRequest): ChangedBy => ({
    author: authorOf(request, nowMs()),
    whyNotLoosen: request.whyNotLoosen,
  })

  app.route({
    ...routeOf(listClients),
    handler: async (request, reply) => {
      const { limit = CLIENT_LIMIT_MAX, before } = request.query
      const { page, total } = await clients.list(limit, before)
      return reply.header('x-total-count', total).send(page)
    },
  })

  app.route({
    ...routeOf(createClient),
    handler: async (request, reply) => {
      const created = await clients.create(request.body, authorOf(request, nowMs()))
      auditLog(request, 'client created', { clientId: created.clientId })
      return reply.code(201).header('cache-control', 'no-store').send(created)
    },
  })

  app.route({
    ...routeOf(updateClient),
    handler: async (request) => {
      const client = await clients.update(request.params.id, request.body, changedBy(request))
      auditLog(request, 'client changed', {
        clientId: client.clientId,
        permissions: client.permissions.join(' '),
      })
      return client
    },
  })

  app.route({
    ...routeOf(toggleClient),
    handler: async (request) => {
      const { isActive } = request.body
      const client = await clients.setActive(request.params.id, isActive, changedBy(request))
      auditLog(request, isActive ? 'client switched on' : 'client switched off', {
        clientId: client.clientId,
      })
      return client
    },
  })

  app.route({
    ...routeOf(deleteClient),
    handler: async (request, reply) => {
      const { id } = request.params
      try {
        await clients.remove(id, authorOf(request, nowMs()))
      } catch (error) {
        if (error instanceof ClientOrdersInDoubtError)
          auditLog(request, 'client switched off', { id })
        throw error
      }
      auditLog(request, 'client deleted', { id })
      return reply.code(204).send(null)
    },
  })
}
