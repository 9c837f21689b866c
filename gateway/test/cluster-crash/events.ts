import { setTimeout as sleep } from 'node:timers/promises'
import { between, chance, pick } from '../campaign/bot.ts'
import type { HoldingProxy } from '../support/holding-proxy.ts'
import type { Node } from './node.ts'
import { type ClusterRound, type EventName, ownerOf, untilTakenOver } from './round.ts'

type Event = (round: ClusterRound) => Promise<void>

/** Longer than the database keeps the lock of a silent owner. */
const LONG_MS = { min: 6_500, max: 9_000 } as const
/** The owner stays the owner, unless it was near the end of its lease. */
const SHORT_MS = { min: 300, max: 3_500 } as const
const DOWN_MS_MAX = 2_500
/** In each direction. The client gives a statement up after 5 s. */
const SLOW_MS_MAX = 3_000
const SLOW_FOR_MS_MAX = 30_000
const CLOCK_JUMP_MS_MAX = 120_000
/** For how long a clock is wrong. */
const CLOCK_WRONG_MS = { min: 1_500, max: 4_000 } as const
/** Kills that hit the owner; the others hit a node that only passes requests to it. */
const OWNER_SHARE = 0.75

/** Ends a node without warning. */
const kill: Event = async (round) => {
  const { group, random } = round
  const owner = await ownerOf(round)
  if (chance(random, OWNER_SHARE)) {
    const sinceMs = performance.now()
    owner.node.kill()
    return untilTakenOver(round, 'kill', owner, sinceMs)
  }
  pick(
    random,
    group.nodes.filter((node) => node !== owner.node),
  ).kill()
}

/** The owner gets no processor time for a while: another one follows before it wakes up. */
const halt: Event = async (round) => {
  const owner = await ownerOf(round)
  const sinceMs = performance.now()
  owner.node.halt()
  try {
    await awhile(round, 'halt', owner, sinceMs)
  } finally {
    owner.node.wake()
  }
}

/** What a node has just asked of the network when it is halted or killed. */
interface Step {
  readonly network: 'database' | 'exchange'
  readonly text: string
}

/** Of an order, in their order: when it wakes, it continues with the response. */
const ORDER_STEPS: readonly Step[] = [
  { network: 'database', text: 'journal_insert' },
  { network: 'database', text: 'row_version' },
  { network: 'database', text: 'journal_mark_sent_by_owner' },
  { network: 'exchange', text: 'POST /' },
  { network: 'database', text: 'journal_settle' },
  { network: 'database', text: 'log_insert_rows' },
]

/** Of a takeover: the fence, the open orders, the working orders, the first call. */
const TAKEOVER_STEPS: readonly Step[] = [
  { network: 'database', text: 'insert into lane_owners' },
  { network: 'database', text: '"order_journal"."state" in' },
  { network: 'database', text: 'working_orders_after' },
  { network: 'exchange', text: ' /' },
]
/** So long, a step may not come: no order is sent, or nobody takes over. */
const STEP_MS = 12_000

/** Calls back at the next step of this kind of one of the nodes. @returns the node, if it came */
async function atStep(
  nodes: readonly Node[],
  { network, text }: Step,
  act: (node: Node) => boolean,
): Promise<Node | undefined> {
  const { promise, resolve } = Promise.withResolvers<Node | undefined>()
  let isOver = false
  for (const node of nodes)
    node.network[network].once(text, () => {
      if (isOver) return true
      isOver = true
      resolve(node)
      return act(node)
    })
  const found = await Promise.race([promise, sleep(STEP_MS, undefined, { ref: false })])
  isOver = true
  for (const node of nodes) node.network[network].forget()
  return found
}

/** The owner gets no processor time at one of the steps of an order. */
const haltAtStep: Event = async (round) => {
  const owner = await ownerOf(round)
  const step = pick(round.random, ORDER_STEPS)
  const isHalted = await atStep([owner.node], step, ({ halt: stop }) => {
    stop()
    return true
  })
  if (isHalted === undefined) return
  const sinceMs = performance.now()
  try {
    await awhile(round, 'halt-at-step', owner, sinceMs)
  } finally {
    owner.node.wake()
  }
}

/** Another node takes over, and is killed at one of the steps of that. */
const killTwice: Event = async (round) => {
  const { group, random } = round
  const owner = await ownerOf(round)
  const others = group.nodes.filter((node) => node !== owner.node)
  const isFirst = chance(random, 0.5)
  const killed = atStep(others, pick(random, TAKEOVER_STEPS), (node) => {
    node.kill()
    return !isFirst
  })
  const sinceMs = performance.now()
  owner.node.kill()
  if ((await killed) !== undefined) await untilTakenOver(round, 'kill-twice', owner, sinceMs)
}

/** The owner is halted, and so is the next one at a step of its takeover; both wake later. */
const haltTwice: Event = async (round) => {
  const { group, random } = round
  const owner = await ownerOf(round)
  const others = group.nodes.filter((node) => node !== owner.node)
  const halted = atStep(others, pick(random, TAKEOVER_STEPS), (node) => {
    node.halt()
    return true
  })
  owner.node.halt()
  const next = await halted
  try {
    const wakesEarly = chance(random, 0.5)
    if (wakesEarly) owner.node.wake()
    await sleep(between(random, LONG_MS.min, LONG_MS.max))
  } finally {
    for (const node of [owner.node, next]) node?.wake()
  }
}

/** PostgreSQL needs seconds for each statement, for all nodes or for the owner alone. */
const databaseSlow: Event = async (round) => {
  const { group, random } = round
  const owner = await ownerOf(round)
  const slow = chance(random, 0.5) ? group.nodes : [owner.node]
  const delayMs = between(random, 200, SLOW_MS_MAX)
  for (const { network } of slow) network.database.delayMs = delayMs
  try {
    await sleep(between(random, LONG_MS.max, SLOW_FOR_MS_MAX))
  } finally {
    for (const { network } of slow) network.database.delayMs = 0
  }
}

/** Somebody else has all the connections that PostgreSQL gives. The owner may die in that time. */
const connectionsTaken: Event = async (round) => {
  const { database, random } = round
  const owner = await ownerOf(round)
  const free = await database.takeConnections()
  try {
    if (chance(random, 0.5)) owner.node.kill()
    await sleep(between(random, SHORT_MS.min, LONG_MS.max))
  } finally {
    await free()
  }
}

/** The owner cannot reach the database. What it sends in that time comes late, or not at all. */
const databaseCut: Event = async (round) => {
  const owner = await ownerOf(round)
  await cut(round, [owner.node.network.database], async (sinceMs) =>
    awhile(round, 'database-cut', owner, sinceMs),
  )
}

/** The other nodes cannot reach the owner. It stays the owner: bots can reach it directly. */
const nodesCut: Event = async (round) => {
  const { node } = await ownerOf(round)
  await cut(round, [node.network.nodes], async () => {
    await sleep(between(round.random, SHORT_MS.min, LONG_MS.max))
  })
}

/** The owner reaches neither the database nor the other nodes, and still the exchange and bots. */
const cutOff: Event = async (round) => {
  const owner = await ownerOf(round)
  const { database, nodes } = owner.node.network
  await cut(round, [database, nodes], async (sinceMs) => awhile(round, 'cut-off', owner, sinceMs))
}

async function cut(
  { random }: ClusterRound,
  networks: readonly HoldingProxy[],
  during: (sinceMs: number) => Promise<void>,
): Promise<void> {
  const delivers = chance(random, 0.5)
  const sinceMs = performance.now()
  for (const network of networks) network.cut()
  try {
    await during(sinceMs)
  } finally {
    for (const network of networks) network.heal(delivers)
  }
}

/** Mostly so long that another node takes over. */
async function awhile(
  round: ClusterRound,
  event: EventName,
  owner: Parameters<typeof untilTakenOver>[2],
  sinceMs: number,
): Promise<void> {
  const { random } = round
  if (chance(random, 0.25)) return void (await sleep(between(random, SHORT_MS.min, SHORT_MS.max)))
  const enough = sleep(between(random, LONG_MS.min, LONG_MS.max))
  await untilTakenOver(round, event, owner, sinceMs)
  await enough
}

/** PostgreSQL is stopped, in order or as in a crash, and started again. */
const databaseEvent =
  (signal: 'SIGINT' | 'SIGQUIT'): Event =>
  async ({ database, random }) => {
    await database.stop(signal)
    await sleep(between(random, 0, DOWN_MS_MAX))
    await database.start()
  }

/** The disk of PostgreSQL is full for a while. A server that ended is started again. */
const fullDisk: Event = async ({ database, random }) => {
  if (database.disk === undefined) return
  database.disk.fill()
  await sleep(between(random, SHORT_MS.min, SHORT_MS.max))
  database.disk.free()
  await database.start()
}

/** A node is stopped as an operator does while the disk of PostgreSQL is full. */
const fullDiskRestart: Event = async (round) => {
  const { database, random } = round
  const { node } = await ownerOf(round)
  if (database.disk === undefined) return
  database.disk.fill()
  const stopped = node.stop()
  await sleep(between(random, SHORT_MS.min, SHORT_MS.max))
  database.disk.free()
  await database.start()
  await stopped
  await node.start()
}

/** The wall clock of a node is wrong for a while. */
const clockJump: Event = async ({ group, random }) => {
  const node = pick(random, group.nodes)
  const ms = between(random, 1_000, CLOCK_JUMP_MS_MAX)
  node.shiftClock(chance(random, 0.5) ? ms : -ms)
  await sleep(between(random, CLOCK_WRONG_MS.min, CLOCK_WRONG_MS.max))
  node.shiftClock(0)
}

/** Each node is stopped as an operator does and started again, one after the other. */
const rollingRestart: Event = async (round) => {
  const { group, random } = round
  const first = between(random, 0, group.nodes.length - 1)
  for (const at of group.nodes.keys()) {
    const node = group.nodes[(first + at) % group.nodes.length]
    if (node === undefined) continue
    const owner = await ownerOf(round)
    const sinceMs = performance.now()
    await node.stop()
    if (owner.node === node) await untilTakenOver(round, 'rolling-restart', owner, sinceMs)
    await node.start()
    await group.untilWhole()
  }
}

export const CLUSTER_EVENTS = {
  ...{ kill, halt, 'halt-at-step': haltAtStep, 'kill-twice': killTwice, 'halt-twice': haltTwice },
  ...{ 'database-slow': databaseSlow, 'connections-taken': connectionsTaken },
  'database-cut': databaseCut,
  'nodes-cut': nodesCut,
  'cut-off': cutOff,
  'database-stop': databaseEvent('SIGINT'),
  'database-crash': databaseEvent('SIGQUIT'),
  'full-disk': fullDisk,
  'clock-jump': clockJump,
  'rolling-restart': rollingRestart,
  'full-disk-restart': fullDiskRestart,
} satisfies Readonly<Record<string, Event>>
