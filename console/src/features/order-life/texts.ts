import {
  EXCHANGE_NAMES,
  type ExchangeCode,
  type JournalOrder,
  type OrderLife,
  type OrderSums,
} from 'schema'
import { formatNumber } from '../../components/format.ts'

type State = JournalOrder['state']

const known = (text: string | null) => text ?? '–'
const usdt = (value: string | number) => `${formatNumber(Number(value))} USDT`
const sides = { buy: 'Buy', sell: 'Sell' } as const
const types = {
  limit: 'limit',
  market: 'market',
  trigger: 'trigger',
  change: 'change',
  cancel: 'cancel',
} as const
type Asks = Pick<JournalOrder, 'symbol' | 'side' | 'type' | 'method' | 'endpoint'>

/** `Buy BTCUSDT` */
function doesWhat({ symbol, side, type, method, endpoint }: Asks): string {
  if (symbol === null && type === null) return `${method} ${endpoint}`
  const what = symbol ?? ''
  if (type === 'cancel') return `Cancel ${what}`.trim()
  if (side === null) return `Order ${what}`.trim()
  return (side === 'buy' ? `Buy ${what}` : `Sell ${what}`).trim()
}
function kindOf({ type }: Asks): string | undefined {
  return type === null || type === 'cancel' ? undefined : types[type]
}

/** The list of orders. */
export const list = {
  title: 'Orders',
  what: 'the orders',
  all: 'Show all orders',
  none: 'No orders match',
  noneYet: 'No orders match so far',
  noneAtAll: 'No orders yet',
  firstHint: 'The first order that a bot sends appears here. Connect says how a bot sends one.',
  noneHint:
    'Orders, changes and cancels of all clients are listed here. Those from before this version are not found by symbol or side.',
  older: (time: string) => `Show orders before ${time}`,
  exports: {
    csv: { label: 'Export CSV', does: 'Saves all orders of the filter in a file' },
    jsonl: { label: 'JSON lines', does: 'Saves all orders of the filter in a file' },
  },
  exportFailed: 'Could not export the orders',
  unknown: '–',
  spends: (amount: string) => `for ${amount}`,
  /** `Buy BTCUSDT, limit` */
  order: (order: Asks) => [doesWhat(order), kindOf(order)].filter(Boolean).join(', '),
  doesWhat,
  where: (exchange: ExchangeCode, order: Asks) =>
    [EXCHANGE_NAMES[exchange], kindOf(order)].filter(Boolean).join(', '),
  filled: (filled: string | null, price: string | null) =>
    filled === null || price === null ? known(filled) : `${filled} at ${price}`,
  value: (value: string | null) => (value === null ? '–' : usdt(value)),
  open: 'Open',
  heads: {
    time: 'Time',
    order: 'Order',
    client: 'Client',
    quantity: 'Quantity',
    price: 'Price',
    filled: 'Filled',
    worth: 'Value',
    state: 'State',
  },
  /** Which orders are listed, the first by itself. */
  firstStates: { '': 'All', open: 'Open now', unknown: 'Unknown' },
  filters: {
    first: 'Which orders',
    client: 'Client',
    exchange: 'Exchange',
    symbol: 'Symbol',
    side: 'Side',
    state: 'State',
    span: 'Time',
  },
  sides,
  spans: { '1h': 'Last hour', '24h': 'Last 24 hours' },
  sources: {
    documented: 'by a documented route',
    exchange: "by the exchange's own path",
    gateway: 'by Sluice itself',
  },
} as const

/** What the orders of a span come to. */
export const sums = {
  label: 'Sums',
  span: (span: '1h' | '24h') => list.spans[span],
  whole: (
    span: string,
    { orders, value, unvalued, filledValue, filledKnown, refused, cancels, isComplete }: OrderSums,
  ) =>
    [
      `${span}: ${count(orders, 'order')}, ${usdt(value)}${unvalued === 0 ? '' : ` (${unvalued} not valued)`}`,
      filledKnown === 0 ? 'fills not known' : `filled ${usdt(filledValue)} (${filledKnown} known)`,
      `${refused} refused`,
      count(cancels, 'cancel'),
      ...(isComplete ? [] : ['of the newest alone: there are more']),
    ].join(' · '),
  line: (orders: number, value: number) => ` ${orders} · ${usdt(value)}`,
  noSymbol: 'No symbol',
  more: (symbols: number) => `and ${symbols} more`,
} as const
function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? '' : 's'}`
}

/** `0.5 at 60000` */
export const amounts = ({
  quantity,
  amount,
  price,
}: Pick<JournalOrder, 'quantity' | 'amount' | 'price'>): string | null => {
  const size = quantity ?? (amount === null ? null : list.spends(amount))
  if (size === null) return null
  return price === null ? size : `${size} at ${price}`
}

export const olderFailed = 'Could not read older orders'
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
export const back = 'All orders'
export const title = 'Order'
export const what = 'the order'
export const states = {
  queued: 'Queued',
  sent: 'Sent',
  unknown: 'Unknown',
  answered: 'Accepted',
  refused: 'Rejected',
  dropped: 'Not sent',
  resolved: 'Resolved',
} as const satisfies Record<State, string>
/** What became of an order, in a sentence. */
export const meaning = ({
  state,
  exchange,
  refusal,
  response,
}: Pick<OrderLife, 'state' | 'exchange' | 'refusal' | 'response'>): string => {
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
    case 'dropped':
      return refusal === null ? 'It was not sent.' : refused(refusal, name)
    case 'resolved':
      return response?.statusCode === 502
        ? `Its outcome was unknown, and then found out: ${name} did not carry it out.`
        : `Its outcome was unknown, and then found out: ${name} carried it out.`
  }
}

function refused(
  { by, message, code, isTemporary }: NonNullable<OrderLife['refusal']>,
  name: string,
) {
  const who = by === 'gateway' ? 'Sluice' : name
  const why = message === '' ? code : message
  const more = by === 'gateway' ? 'Nothing was sent.' : 'Nothing was done.'
  const later = isTemporary ? ' The same order may be accepted later.' : ''
  return `${who} refused it: ${why.replace(/[.\s]+$/, '')}. ${more}${later}`
}

export const mustCheck = (exchange: ExchangeCode) =>
  `The gateway cannot look this call up. Check orders, positions and settings at ${EXCHANGE_NAMES[exchange]}, then end it under Open outcomes on the page Operations.`
export const line = 'What happened'
export const other = 'Show that request'
export const beforeIt = (span: string) => `${span} before`
export const facts = {
  title: 'Facts',
  asks: 'Asks for',
  amounts: 'Quantity',
  filled: 'Filled',
  worth: 'Value',
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
} as const
