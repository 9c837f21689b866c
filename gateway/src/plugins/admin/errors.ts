import { createError } from '@fastify/error'

export const ClientNotFoundError = createError<[id: string]>(
  'CLIENT_NOT_FOUND',
  'No client credential has the id "%s"; it may have been deleted',
  404,
)

export const ClientOrdersInDoubtError = createError<[clientId: string]>(
  'CLIENT_ORDERS_IN_DOUBT',
  '%s still has orders with unknown outcomes. It is now disabled; delete it once they are resolved (within a day)',
  409,
)

export const ApiKeyNotFoundError = createError<[exchange: string, clientId: string]>(
  'API_KEY_NOT_FOUND',
  'No %s keys are stored for the client "%s"',
  404,
)

export const KeyCanWithdrawError = createError<[exchange: string]>(
  'KEY_CAN_WITHDRAW',
  'This key may withdraw funds from %s, and was not stored. Sluice never withdraws: create a key without that permission, or allow it explicitly',
  422,
)

export const OrderNotFoundError = createError<[id: string]>(
  'ORDER_NOT_FOUND',
  'No order, change or cancel has the request id "%s"; it may be older than the log is kept',
  404,
)

export const OrderNotUnknownError = createError<[id: string]>(
  'ORDER_NOT_UNKNOWN',
  'The outcome of the request "%s" is known, or it is still being carried out; read it again',
  409,
)

/** A wrong end would take an order that is open off the list of those that the gateway cancels. */
export const CancelUnderWayError = createError<[id: string]>(
  'CANCEL_UNDER_WAY',
  'The gateway itself makes the cancel "%s", and looks up what became of it: nobody has to end it. If the order must be gone now, cancel it at the exchange; the gateway finds that out',
  409,
)

export const QueueEntryNotFoundError = createError<[id: string]>(
  'QUEUE_ENTRY_NOT_FOUND',
  'The request "%s" is no longer in the queue; it was sent or removed',
  404,
)

/** Only where loosening limits needs an approval. */
export const LimitsChangedError = createError(
  'LIMITS_CHANGED',
  'Somebody else changed these limits at the same moment, and this would loosen them again; look at them and send it again',
  409,
)
