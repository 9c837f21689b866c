import {
  EXCHANGES,
  type ExchangeCode,
  type ExchangeNow,
  type GatewayNode,
  NEXT_SLOTS_MAX,
  type NextSlot,
  NODE_MISSING_AFTER_MS,
  type NodeGroup,
  type OpenAlert,
  type Operations,
  type Stop,
} from 'schema'
import type { Parts } from '../../app/create-parts.ts'
import { toPublicState } from '../../lane/lane-snapshot.ts'
import type { LaneSnapshot, QueueEntry } from '../../lane/lane-types.ts'
import { isOfGateway } from '../../orders/unknown-cancels.ts'
import type { NodeRow } from '../../store/node-store.ts'
import { type ClientActivity, readClientsNow, toTime, toTimeOrNull } from './clients-now.ts'
import type { QueueHistory } from './queue-history.ts'

export type OperationsParts = Pick<
  Parts,
  | 'config'
  | 'exchanges'
  | 'isPaper'
  | 'limits'
  | 'nowMs'
  | 'orders'
  | 'self'
  | 'stores'
  | 'watching'
>
type RaisedAlert = ReturnType<Parts['watching']['alerts']['board']['open']>[number]

/** The state of an exchange's lane. */
interface LaneNow {
  readonly exchange: ExchangeCode
  readonly snapshot: LaneSnapshot
}

/** Everything that happens now, in one response. */
export function createOperationsService(
  parts: OperationsParts,
  activity: ClientActivity,
  history: Pick<QueueHistory, 'sentLastMinute'>,
) {
  const { isPaper, stores, watching } = parts
  const { clocks, lanes } = parts.exchanges
  const { stops, unknownCancels } = parts.orders

  async function exchangeNow(
    { exchange, snapshot }: LaneNow,
    stopOfAll: Stop | null,
    nowMs: number,
  ) {
    const clock = clocks[exchange]
    return toExchangeNow({
      ...{ exchange, snapshot, nowMs },
      isPaper: isPaper(exchange),
      next: lanes[exchange].list(NEXT_SLOTS_MAX),
      sentLastMinute: history.sentLastMinute(exchange, snapshot.slotsUsed),
      clockOffsetMs: clock.isMeasured() ? clock.offsetMs() : null,
      stop: stopInForce(await stops.get({ exchange }), stopOfAll),
    })
  }

  return {
    async read(): Promise<Operations> {
      const nowMs = parts.nowMs()
      const [stopOfAll, unknown] = await Promise.all([
        stops.get('everything'),
        stores.journal.countUnknown(),
      ])
      const all = EXCHANGES.map((exchange) => ({ exchange, snapshot: lanes[exchange].snapshot() }))
      return {
        at: toTime(nowMs),
        exchanges: await Promise.all(all.map((lane) => exchangeNow(lane, stopOfAll, nowMs))),
        clients: await readClientsNow(parts, activity, queuedByClient(all), nowMs),
        // All tries of a cancel are one, also the last while it is still looked up.
        unknownOrders: sumOf(unknown.filter((each) => !isOfGateway(each))),
        unknownCancels: unknownCancels.size,
        alerts: watching.alerts.board.open().map(toOpenAlert),
        hasNodes: stores.nodes !== undefined,
        requiresSecondAdmin: parts.config.requireSecondAdmin,
      }
    },
  }
}
export type OperationsService = ReturnType<typeof createOperationsService>

const sumOf = (counts: readonly { readonly count: number }[]) =>
  counts.reduce((sum, { count }) => sum + count, 0)

function toOpenAlert({ type, subject, raisedAtMs, message, count }: RaisedAlert): OpenAlert {
  return { name: type, subject, since: toTime(raisedAtMs), text: message, count }
}

/** The waiting requests of each client, at all exchanges together. */
function queuedByClient(all: readonly LaneNow[]): Map<string, number> {
  const sums = new Map<string, number>()
  for (const { clientId, queued } of all.flatMap(({ snapshot }) => snapshot.queuedByClient))
    sums.set(clientId, (sums.get(clientId) ?? 0) + queued)
  return sums
}

/** What an exchange's state is made of. */
interface ExchangeFacts {
  readonly exchange: ExchangeCode
  readonly isPaper: boolean
  readonly snapshot: LaneSnapshot
  /** The next requests, in the order in which they are sent. */
  readonly next: readonly QueueEntry[]
  readonly sentLastMinute: number
  readonly clockOffsetMs: number | null
  readonly stop: Stop | null
  readonly nowMs: number
}

function toExchangeNow(facts: ExchangeFacts): ExchangeNow {
  const { exchange, snapshot, stop, nowMs } = facts
  const { lastError, resumesInMs } = snapshot
  return {
    exchange,
    environment: facts.isPaper ? 'paper' : 'real',
    state: toPublicState(snapshot.state),
    reason: snapshot.reason,
    since: sinceOf(facts),
    nextTryAt: toTimeOrNull(resumesInMs === null ? null : nowMs + resumesInMs),
    lastError:
      lastError === null
        ? null
        : { at: toTime(nowMs - lastError.agoMs), message: lastError.message },
    rateLimit: snapshot.currentRatePerSecond,
    fullRateLimit: snapshot.ratePerSecond,
    sentLastMinute: facts.sentLastMinute,
    queueSize: snapshot.queued,
    queueByClass: { ...snapshot.queuedByClass },
    inFlight: snapshot.inFlight,
    longestWaitMs: snapshot.longestWaitMs,
    estimatedWaitMs: snapshot.estimatedWaitMs,
    busiestWaitMs: snapshot.busiestWaitMs,
    clockOffsetMs: facts.clockOffsetMs,
    stop,
    accounts: snapshot.accountsHeld.map(({ clientId, state, retryInMs }) => ({
      ...{ clientId, state },
      nextTryAt: toTimeOrNull(retryInMs === 0 ? null : nowMs + retryInMs),
    })),
    nextSlots: facts.next.map(toNextSlot),
  }
}

/** The stop that is in force for an exchange; otherwise the last one. */
function stopInForce(own: Stop | null, ofAll: Stop | null): Stop | null {
  if (own === null || ofAll === null) return own ?? ofAll
  if ((own.resumedAt === null) !== (ofAll.resumedAt === null))
    return own.resumedAt === null ? own : ofAll
  return own.startedAt >= ofAll.startedAt ? own : ofAll
}

/** A stop may have begun before the gateway started. */
function sinceOf({ snapshot, stop, nowMs }: ExchangeFacts): string | null {
  if (snapshot.state === 'stopped' && stop?.resumedAt === null) return stop.startedAt
  return toTimeOrNull(snapshot.stateForMs === null ? null : nowMs - snapshot.stateForMs)
}

function toNextSlot(entry: QueueEntry): NextSlot {
  return {
    inMs: entry.expectedWaitMs,
    id: entry.id,
    clientId: entry.clientId,
    requestClass: entry.jobClass,
    method: entry.method,
    endpoint: entry.endpoint,
  }
}

/** The gateways that share the database. */
export function createNodesService({
  stores: { nodes },
  self,
  nowMs,
}: Pick<OperationsParts, 'nowMs' | 'self' | 'stores'>) {
  function alone(): NodeGroup {
    const atMs = nowMs()
    const { startedAtMs } = self
    const node = { ...self.facts(), startedAtMs, seenAtMs: atMs }
    return {
      ...{ at: toTime(atMs), database: 'file', answeredBy: node.nodeId },
      owner: { fence: 0, since: toTime(startedAtMs) },
      nodes: [toNode(node, node.nodeId, atMs)],
      standbys: [],
    }
  }

  return {
    async read(): Promise<NodeGroup> {
      if (nodes === undefined) return alone()
      const { atMs, nodes: rows, owner, standbys } = await nodes.read()
      const hasOwner = owner !== undefined && owner.nodeId !== ''
      return {
        ...{ at: toTime(atMs), database: 'postgresql', answeredBy: self.facts().nodeId },
        owner: hasOwner ? { fence: owner.fence, since: toTime(owner.sinceMs) } : null,
        nodes: rows.map((row) => toNode(row, owner?.nodeId, atMs)),
        standbys: standbys.map((standby) => ({ ...standby })),
      }
    },
  }
}
export type NodesService = ReturnType<typeof createNodesService>

function toNode(row: NodeRow, ownerId: string | undefined, atMs: number): GatewayNode {
  return {
    id: row.nodeId,
    url: row.nodeUrl === '' ? null : row.nodeUrl,
    version: row.version,
    isOwner: row.nodeId === ownerId,
    isLeaving: row.isLeaving,
    isMissing: atMs - row.seenAtMs > NODE_MISSING_AFTER_MS,
    startedAt: toTime(row.startedAtMs),
    seenAt: toTime(row.seenAtMs),
    keyIds: [...row.keyIds],
    clockOffsetMs: row.clockOffsetMs,
  }
}
