import { createError } from '@fastify/error'

/** Also for a request of another client: to others it does not exist. */
export const RequestNotFoundError = createError<[id: string]>(
  'REQUEST_NOT_FOUND',
  'No order or cancel of this client has the request id "%s"',
  404,
)

export const RequestAlreadySentError = createError<[id: string]>(
  'REQUEST_ALREADY_SENT',
  'The request "%s" was already sent; cancel the order instead',
  409,
)

/** Also for a cancel of another client: to others it does not exist. */
export const CancelNotFoundError = createError<[id: string]>(
  'CANCEL_NOT_FOUND',
  'The gateway has no cancel of your orders with the id "%s". It keeps the last 20, and after a restart those that were still running. GET /api/orders?state=working lists what may still be open; cancel that once more',
  404,
)
