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
import { toPublicState } from '../../lane/lane-snapshot.ts'
import type { Lane, LaneSnapshot, QueueEntry } from '../../lane/lane-types.ts'
import type { Stops } from '../../orders/stops.ts'
import { isOfGateway, type UnknownCancels } from '../../orders/unknown-cancels.ts'
import type { JournalStore } from '../../store/journal-store.ts'
import type { NodeAnnouncement, NodeRow, NodeStore } from '../../store/node-store.ts'
import type { ExchangeClock } from '../../upstream/clock.ts'
import type { JudgedResponse } from '../../upstream/judged-response.ts'
import { type ClientsNowDeps, readClientsNow, toTime, toTimeOrNull } from './clients-now.ts'
import type { QueueHistory } from './queue-history.ts'

/** What the alert board says of an alert that is raised. */
interface RaisedAlert {
  readonly type: string
  readonly subject: string
  readonly raisedAtMs: number
  readonly message: string
  readonly count: number
}

export interface OperationsDeps extends ClientsNowDeps {
  readonly lanes: Readonly<Record<ExchangeCode, Pick<Lane<JudgedResponse>, 'list' | 'snapshot'>>>
  readonly clocks: Readonly<Record<ExchangeCode, Pick<ExchangeClock, 'offsetMs' | 'isMeasured'>>>
  readonly stops: Pick<Stops, 'get'>
  readonly journal: Pick<JournalStore, 'countUnknown'>
  readonly unknownCancels: Pick<UnknownCancels, 'size'>
  readonly openAlerts: () => readonly RaisedAlert[]
  readonly isPaper: (exchange: ExchangeCode) => boolean
  /** Whether other gateways can share the database. */
  readonly hasNodes: boolean
  readonly nowMs: () => number
}

/** The state of an exchange's lane. */
interface LaneNow {
  readonly exchange: ExchangeCode
  readonly snapshot: LaneSnapshot
}

/** Everything that happens now, in one answer. */
export function createOperationsService(
  deps: OperationsDeps,
  history: Pick<QueueHistory, 'sentLastMinute'>,
) {
  const { lanes, clocks, stops, journal, openAlerts, isPaper } = deps

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
      const nowMs = deps.nowMs()
      const [stopOfAll, unknown] = await Promise.all([
        stops.get('everything'),
        journal.countUnknown(),
      ])
      const all = EXCHANGES.map((exchange) => ({ exchange, snapshot: lanes[exchange].snapshot() }))
      return {
        at: toTime(nowMs),
        exchanges: await Promise.all(all.map((lane) => exchangeNow(lane, stopOfAll, nowMs))),
        clients: await readClientsNow(deps, queuedByClient(all), nowMs),
        // All tries of a cancel are one, also the last while it is still looked up.
        unknownOrders: sumOf(unknown.filter((each) => !isOfGateway(each))),
        unknownCancels: deps.unknownCancels.size,
        alerts: openAlerts().map(toOpenAlert),
        hasNodes: deps.hasNodes,
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

export interface NodesDeps {
  /** Undefined for a gateway whose database is a file: it is alone. */
  readonly nodes: Pick<NodeStore, 'read'> | undefined
  /** What this gateway says of itself. */
  readonly self: { readonly startedAtMs: number; facts(): NodeAnnouncement }
  readonly nowMs: () => number
}

/** The gateways that share the database. */
export function createNodesService({ nodes, self, nowMs }: NodesDeps) {
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
