import { setTimeout as sleep } from 'node:timers/promises'
import type { ReceivedRequest } from '../../paper-exchange/src/received.ts'
import { isMistimed } from '../campaign/books.ts'
import { between, pick, type Story } from '../campaign/bot.ts'
import type { BasicPlan } from '../campaign/rounds.ts'
import type { TradingRound } from '../campaign/trading.ts'
import { createSeededRandom } from '../lane-simulation/seeded-random.ts'
import type { Database } from './database.ts'
import type { CLUSTER_EVENTS } from './events.ts'
import type { Group, OwnerNow } from './group.ts'
import type { Node, NodeProcess } from './node.ts'

/** What happens to gateways and their database while bots trade. */
export type EventName = keyof typeof CLUSTER_EVENTS

export interface Plan extends BasicPlan<EventName> {
  /** Nothing but rolling restarts happens: no request may be refused. */
  readonly isCalm: boolean
  /** The longest that a takeover may take. */
  readonly takeoverMs: number
  /** How long a node that is stopped still takes requests. */
  readonly drainSeconds: number
}

/** What the gateway promises. */
export const TAKEOVER_MS = 10_000

const BOTS = 6
/** Every so many seeds, a round has rolling restarts only. */
const CALM_EVERY = 5
const COMMON = [
  ...['kill', 'kill', 'halt', 'halt', 'halt-at-step', 'halt-at-step', 'kill-twice', 'halt-twice'],
  ...['database-cut', 'database-cut', 'database-slow', 'connections-taken'],
  ...['nodes-cut', 'cut-off', 'database-stop', 'database-crash', 'clock-jump'],
] as readonly EventName[]
const ON_SMALL_DISK = ['full-disk', 'full-disk-restart'] as const

/** @param hasSmallDisk whether a file system can be had that is really full */
export function planOf(seed: number, hasSmallDisk: boolean): Plan {
  const random = createSeededRandom(seed)
  const isCalm = seed % CALM_EVERY === CALM_EVERY - 1
  const names = hasSmallDisk ? [...COMMON, ...ON_SMALL_DISK] : COMMON
  const events: readonly EventName[] = isCalm
    ? ['rolling-restart']
    : Array.from({ length: between(random, 2, 3) }, () => pick(random, names))
  return {
    ...{ seed, events, bots: BOTS, acceptsDuplicates: seed % 2 === 0, isCalm },
    ...{ takeoverMs: TAKEOVER_MS, drainSeconds: 1 },
  }
}

/** How long the exchanges had no owner. */
export interface Takeover {
  readonly event: EventName
  /** From the event until another node was the owner. */
  readonly ownerMs: number
  /** From the event until the first call of another node at the exchange. */
  readonly callMs: number
}

/** Gateways on one database, and what happened to them so far. */
export interface ClusterRound extends TradingRound {
  readonly plan: Plan
  readonly stories: Map<string, Story>
  /** For the events: nothing else draws from it, so that a seed makes the same choices. */
  readonly random: () => number
  readonly group: Group
  readonly database: Database
  readonly takeovers: Takeover[]
  /** Some orders from now, then a moment more. */
  untilMoment(): Promise<void>
  /** Something is not as it has to be. */
  report(violation: string): void
}

const GIVE_UP_MS = 90_000
const LOOK_EVERY_MS = 10

/** The owner, after a wait if there is none at this moment. */
export async function ownerOf({ group }: ClusterRound): Promise<OwnerNow> {
  for (const untilMs = performance.now() + GIVE_UP_MS; ; await sleep(LOOK_EVERY_MS)) {
    const owner = group.owner()
    if (owner !== undefined) return owner
    if (performance.now() > untilMs) throw new Error('No node became the owner')
  }
}

/** Waits until another process is the owner and calls the exchange, and notes how long it took. */
export async function untilTakenOver(
  round: ClusterRound,
  event: EventName,
  before: OwnerNow,
  sinceMs: number,
): Promise<void> {
  const { group, plan, takeovers, report } = round
  for (const untilMs = sinceMs + GIVE_UP_MS; performance.now() < untilMs; ) {
    await sleep(LOOK_EVERY_MS)
    const next = group.owner()
    if (next === undefined || next.fence <= before.fence) continue
    const callMs = (firstCallOf(round, next) ?? Number.POSITIVE_INFINITY) - sinceMs
    if (!Number.isFinite(callMs)) continue
    const ownerMs = (next.process.owner?.atMs ?? 0) - sinceMs
    takeovers.push({ event, ownerMs, callMs })
    if (callMs > plan.takeoverMs)
      report(
        `after ${event}, another node was the owner in ${Math.round(ownerMs)} ms, and called the exchange in ${Math.round(callMs)} ms`,
      )
    return
  }
  const { node, fence } = group.owner() ?? {}
  report(
    `after ${event}, no other owner called the exchange in ${GIVE_UP_MS} ms; the owner is ${node?.name} under ${fence}, and was ${before.node.name} under ${before.fence}`,
  )
}

/** When a process called the exchange for the first time. It does not before it is the owner. */
function firstCallOf({ paper }: ClusterRound, { node, process }: OwnerNow): number | undefined {
  return paper
    .received()
    .find(
      (request) => isSentBy(request, node) && request.arrivedAtMonotonicMs > process.startedAtMs,
    )?.arrivedAtMonotonicMs
}

/** Whether a node has sent a request: each reaches the exchange by a port of its own. */
const isSentBy = ({ headers }: ReceivedRequest, { exchangePort }: Pick<Node, 'exchangePort'>) =>
  headers.host === `127.0.0.1:${exchangePort}`

export interface SendersBook {
  /** Unsigned reads of a process that another owner had followed: only the lease holds them. */
  readonly lateReads: number
  /** Signed requests of such a process, which the exchange refused for their time. */
  readonly lateRefused: number
  readonly violations: readonly string[]
}

/**
 * Only the owner sends, and none sends once the next one has: looks at each request in the order
 * in which they came to the exchange.
 */
export function checkSenders(received: readonly ReceivedRequest[], { nodes }: Group): SendersBook {
  const violations: string[] = []
  let lateReads = 0
  let lateRefused = 0
  let latest = 0
  for (const request of received) {
    const { seq, method, path, arrivedAtMonotonicMs, account } = request
    const node = nodes.find((each) => isSentBy(request, each))
    const process = node?.processes.findLast((run) => run.startedAtMs < arrivedAtMonotonicMs)
    const what = `${seq} ${method} ${path} by node ${node?.name}`
    const fence = fenceOf(process)
    if (fence === undefined) violations.push(`${what} came, which was never the owner`)
    else if (fence >= latest) latest = fence
    else if (account === null) lateReads += 1
    else if (isMistimed(request)) lateRefused += 1
    else violations.push(`${what}, the owner under ${fence}, came after one under ${latest}`)
  }
  return { lateReads, lateRefused, violations }
}

/** It says so a moment after it has become the owner, and may send in between. */
const fenceOf = (process: NodeProcess | undefined) => process?.owner?.fence
