import { createError } from '@fastify/error'

export const ClientNotFoundError = createError<[id: string]>(
  'CLIENT_NOT_FOUND',
  'No client credential has the id "%s"; it may have been deleted',
  404,
)

export const ClientOrdersInDoubtError = createError<[clientId: string]>(
  'CLIENT_ORDERS_IN_DOUBT',
  '%s has orders of which nobody knows yet what became; it is switched off, delete it when that is known (a day at most)',
  409,
)

export const ApiKeyNotFoundError = createError<[exchange: string, clientId: string]>(
  'API_KEY_NOT_FOUND',
  'No %s keys are stored for the client "%s"',
  404,
)

export const QueueEntryNotFoundError = createError<[id: string]>(
  'QUEUE_ENTRY_NOT_FOUND',
  'No request "%s" waits here any more; it was sent or has left',
  404,
)
