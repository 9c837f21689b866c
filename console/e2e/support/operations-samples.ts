import {
  type ClientNow,
  type ExchangeNow,
  type GatewayNode,
  getOperations,
  type HistoryPoint,
  type JournalOrder,
  listNodes,
  type NodeGroup,
  type Operations,
  type OperationsHistory,
  type QueueEntry,
} from 'schema'

/** Ids as the console's own Generate makes them: 30 characters. */
export const FLOODER = 'client_mf3k2v9q_8h2k4j6l1p0w7x'
export const CALM = 'client_mf3k2va1_0a9s8d7f6g5h4j'

const { exchanges, clients } = getOperations.sample.response
const [mexc, bitget] = exchanges as [ExchangeNow, ExchangeNow]
const [client] = clients as [ClientNow]

const CLASSES = ['cancel', 'order', 'order', 'order', 'account', 'market'] as const

/** As many entries as wanted, most of them of one client. */
export function queueOf(count: number, exchange: QueueEntry['exchange'] = 'mx'): QueueEntry[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `${index + 1}`,
    exchange,
    clientId: index % 5 === 4 ? CALM : FLOODER,
    requestClass: CLASSES[index % CLASSES.length] ?? 'order',
    method: index % CLASSES.length > 3 ? 'GET' : 'POST',
    endpoint: index % CLASSES.length > 3 ? '/api/mx/v1/getAccount' : '/api/mx/v1/submitOrder',
    requestId: `5f6ad51b-2f0f-4f5a-9d55-${String(index).padStart(12, '0')}`,
    clientOrderId: index === 2 ? null : `grid-7-${index}`,
    orderId: null,
    position: index + 1,
    waitedMs: Math.max(200, 42_000 - index * 500),
    expectedWaitMs: index * 500,
    remainingMs: 18_000 + index * 500,
  }))
}

export function exchangeOf(changes: Partial<ExchangeNow> = {}): ExchangeNow {
  const base = changes.exchange === 'bg' ? bitget : mexc
  return { ...base, ...changes }
}

/** An exchange that does not respond, with a reason as long as they get. */
export const BROKEN = exchangeOf({
  exchange: 'bg',
  state: 'broken',
  reason:
    'The last 5 calls failed: Bitget did not respond within 10000 ms (connect ETIMEDOUT 104.18.24.31:443)',
  since: '2026-03-05T14:27:10.000Z',
  nextTryAt: '2026-03-05T14:30:34.000Z',
  lastError: {
    at: '2026-03-05T14:30:04.000Z',
    message: 'connect ETIMEDOUT 104.18.24.31:443 (POST /api/v2/spot/trade/place-order)',
  },
  queueSize: 3,
  queueByClass: { cancel: 1, lookup: 0, order: 2, account: 0, market: 0 },
  longestWaitMs: 21_400,
  ...{ estimatedWaitMs: 0, busiestWaitMs: 0 },
  sentLastMinute: 0,
})

export const BUSY = exchangeOf({
  rateLimit: 1.5,
  queueByClass: { cancel: 2, lookup: 1, order: 60, account: 10, market: 6 },
  lastError: {
    at: '2026-03-05T14:26:22.000Z',
    message: '429 Too Many Requests (GET /api/v3/account)',
  },
  nextSlots: queueOf(12).map((entry, index) => ({ ...entry, inMs: index * 500 })),
})

export function clientNowOf(changes: Partial<ClientNow> = {}): ClientNow {
  return { ...client, ...changes }
}

const others = Array.from({ length: 5 }, (_, index) =>
  clientNowOf({
    id: 20 + index,
    clientId: `client_mf3k2v${index.toString(36)}x_5t6y7u8i9o0p1a`,
    waiting: 0,
    requestsLastMinute: 3 - index > 0 ? 3 - index : 0,
    failedLastMinute: 0,
    nearestLimit: null,
    lastSeenAt: `2026-03-05T${String(14 - index).padStart(2, '0')}:12:22.000Z`,
  }),
)

/** A flooding bot, a broken exchange, one outcome unknown. */
export function trouble(changes: Partial<Operations> = {}): Operations {
  return {
    ...getOperations.sample.response,
    exchanges: [BUSY, BROKEN],
    clients: [
      clientNowOf({ clientId: FLOODER, waiting: 64 }),
      clientNowOf({
        id: 8,
        clientId: CALM,
        waiting: 18,
        requestsLastMinute: 22,
        failedLastMinute: 21,
        nearestLimit: { limit: 'maxDayValue', used: 1640.5, max: 2000 },
        lastAddress: '2001:db8:85a3::8a2e:370:7334',
      }),
      clientNowOf({
        id: 9,
        clientId: 'arbitrage',
        state: 'stopped',
        stoppedAt: '2026-03-05T14:20:22.000Z',
        stopReason: 'strategy misbehaves: it bought the same pair on both exchanges for an hour',
        waiting: 0,
        requestsLastMinute: 4,
        failedLastMinute: 4,
        nearestLimit: null,
      }),
      ...others,
    ],
    unknownOrders: 2,
    alerts: [
      {
        name: 'exchange.broken',
        subject: 'bg',
        since: '2026-03-05T14:27:12.000Z',
        count: 1,
        text: 'Bitget does not respond; new requests to it are refused. Check its status page and the network of this machine.',
      },
    ],
    ...changes,
  }
}

/** Five minutes in which the queue fills up. */
export function historyOf(stepMs = 5000, count = 60): OperationsHistory {
  const endMs = Date.parse(getOperations.sample.response.at)
  const pointOf = (index: number, size: number): HistoryPoint => ({
    at: new Date(endMs - (count - index) * stepMs).toISOString(),
    cancel: Math.round(size / 30),
    lookup: index % 9 === 0 ? 1 : 0,
    order: Math.round((size * index) / count),
    account: Math.round(size / 8),
    market: index % 4,
    sent: 8 + (index % 3),
  })
  const points = Array.from({ length: count }, (_, index) => pointOf(index, 60))
  return {
    stepMs,
    exchanges: [
      { exchange: 'mx', points },
      // It did not run for a while.
      { exchange: 'bg', points: points.filter((_, index) => index < 20 || index > 30) },
    ],
  }
}

export function unknownOf(changes: Partial<JournalOrder> = {}): JournalOrder {
  return {
    id: '0f6ad51b-2f0f-4f5a-9d55-6f1f0c7e9a10',
    exchange: 'bg',
    clientId: FLOODER,
    method: 'POST',
    endpoint: '/api/bg/v1/spot/placeOrder',
    clientOrderId: 'grid-7-42',
    orderId: null,
    state: 'unknown',
    createdAt: '2026-03-05T14:26:59.000Z',
    sentAt: '2026-03-05T14:27:03.000Z',
    settledAt: null,
    ...{ symbol: 'BTCUSDT', side: 'buy', type: 'limit', quantity: '0.01', price: '60000' },
    ...{ amount: null, filled: null, averagePrice: null, value: null, source: 'documented' },
    mayBeOpen: false,
    ...{ lookups: 7, tries: null },
    canBeLookedUp: true,
    ...changes,
  }
}

/** A group that an upgrade and a crash have caught: four nodes, two of them in trouble. */
export function groupOf(changes: Partial<NodeGroup> = {}): NodeGroup {
  const { response } = listNodes.sample
  const [owner, standsBy] = response.nodes as [GatewayNode, GatewayNode]
  return {
    ...response,
    nodes: [
      owner,
      { ...standsBy, clockOffsetMs: -1_800 },
      {
        ...standsBy,
        ...{ id: 'a1f0', url: 'https://10.0.0.4:8443', version: '0.9.0', isLeaving: true },
        ...{ keyIds: ['9b2d4c681f0c5a7e'], clockOffsetMs: null },
      },
      {
        ...standsBy,
        ...{ id: 'c4a5-4ed', url: null, isMissing: true, seenAt: '2026-03-05T14:29:42.000Z' },
      },
    ],
    standbys: [
      ...response.standbys,
      { name: 'far-away', state: null, lagBytes: null, lagMs: null },
    ],
    ...changes,
  }
}
