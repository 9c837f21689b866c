import { EXCHANGE_NAMES, type ExchangeCode, type JournalOrder } from 'schema'

type State = JournalOrder['state']

export const find = {
  title: 'Find an order',
  description: 'Orders, changes and cancels of all clients, at all exchanges.',
} as const
export const field = {
  label: 'Client order id, order id, idempotency key or request id',
  hint: 'The whole id. Upper and lower case differ.',
  submit: 'Find',
} as const
export const failed = 'Could not search'
export const several = (count: number) => `${count} requests have this id, the newest first.`
export const none = (text: string) => `No order has the id “${text}”`
export const noneHint = (days: number | undefined) =>
  `Searched: request ids, client order ids, order ids of the exchanges and idempotency keys of all orders, changes and cancels. They are kept ${days === undefined ? 'as long as the request log' : days === 1 ? 'for 1 day' : `for ${days} days`}, longer only while an outcome is unknown. Requests that only read are not kept here, but in the request logs. A retry has its own request id: search for its idempotency key.`
export const back = 'Find another order'
export const title = 'Order'
export const what = 'the order'
export const states = {
  queued: 'Queued',
  sent: 'Sent',
  unknown: 'Unknown',
  answered: 'Answered',
  refused: 'Rejected',
  dropped: 'Not sent',
  resolved: 'Resolved',
} as const satisfies Record<State, string>
/** What a state means, in a sentence. */
export const meaning = (
  state: State,
  exchange: ExchangeCode,
  statusCode: number | undefined,
): string => {
  const name = EXCHANGE_NAMES[exchange]
  switch (state) {
    case 'queued':
      return 'It waits in the queue. Nothing was sent.'
    case 'sent':
      return `It was sent, and ${name} has not responded yet.`
    case 'unknown':
      return `It is not known whether ${name} carried it out. It may exist there.`
    case 'answered':
      return `${name} carried it out.`
    case 'refused':
      return `${name} rejected it. Nothing was done.`
    case 'dropped':
      return `${name} did nothing: the request was not sent, or was rejected for a temporary reason.`
    case 'resolved':
      return statusCode === 502
        ? `Its outcome was unknown, and then found out: ${name} did not carry it out.`
        : `Its outcome was unknown, and then found out: ${name} carried it out.`
  }
}
export const mustCheck = (exchange: ExchangeCode) =>
  `The gateway cannot look this call up. Check orders, positions and settings at ${EXCHANGE_NAMES[exchange]}, then end it under Open outcomes on the page Operations.`
export const line = 'What happened'
export const other = 'Show that request'
export const beforeIt = (span: string) => `${span} before`
export const facts = {
  title: 'Facts',
  client: 'Client',
  exchange: 'Exchange',
  endpoint: 'Endpoint',
  clientOrderId: 'Client order ID',
  orderId: 'Order ID',
  requestId: 'Request ID',
  idempotencyKey: 'Idempotency key',
  keys: 'Keys',
  open: 'At the exchange',
  lookups: 'Look-ups',
  logs: 'Request log',
  none: '–',
  storedKeys: (note: string | null) => note ?? 'the stored keys',
  oldKeys: 'since replaced or deleted',
  mayBeOpen: 'the order may be open',
  logsLink: 'Show the row',
  noLogs: 'no row',
} as const
export const response = {
  title: 'Response',
  description: 'Exactly as stored. A retry with the same idempotency key gets the same one.',
  none: 'No final response is stored: the outcome is not settled.',
  format: 'Format',
  empty: 'The body is empty.',
  body: 'Body',
  copy: 'Copy body',
  label: 'Response body',
} as const
