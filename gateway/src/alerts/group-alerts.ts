import { NODE_MISSING_AFTER_MS } from 'schema'
import { isStoreFailure } from '../store/errors.ts'
import type { LogStore } from '../store/log-store.ts'
import type { GroupRows, NodeRow, NodeStore } from '../store/node-store.ts'
import { storeFailureText } from '../store/open-reason.ts'
import { runRegularly, type Time } from '../time.ts'
import type { AlertBoard } from './alert-board.ts'

const READ_EVERY_MS = 5_000
/** An owner that stays for this long ends the alert about its change. */
const OWNER_STAYS_MS = 10 * 60_000

export interface GroupAlertsOptions {
  readonly board: AlertBoard
  /** Undefined for a gateway whose database is a file: it is alone. */
  readonly nodes: Pick<NodeStore, 'read'> | undefined
  /** This run of this node. */
  readonly self: () => Pick<NodeRow, 'nodeId' | 'nodeUrl'>
  readonly time: Time
  readonly onError: (error: unknown) => void
  readonly readEveryMs?: number | undefined
}

/** Watches the other nodes of the group. */
export function createGroupAlerts(options: GroupAlertsOptions) {
  const { board, nodes, self, time, onError, readEveryMs = READ_EVERY_MS } = options
  let rows: Seen = { atMs: 0, nodes: [] }
  /** Since when every read succeeded, by the database's clock: nodes can announce themselves. */
  let readableSinceMs: number | undefined
  let isOwner = false

  async function read(): Promise<void> {
    try {
      rows = (await nodes?.read()) ?? rows
    } catch (error) {
      readableSinceMs = undefined
      if (isStoreFailure(error)) return
      throw error
    }
    const own = rows.nodes.find(({ nodeId }) => nodeId === self().nodeId)
    // A node that was halted itself learns nothing of the others from that time.
    if (own !== undefined && !isSeen(own, rows)) readableSinceMs = rows.atMs
    readableSinceMs ??= rows.atMs
    if (isOwner) checkMissing(board, rows, readableSinceMs)
  }

  let stop = () => {}
  return {
    /** Reads the nodes from now on. */
    start(): void {
      if (nodes === undefined) return
      stop = runRegularly(read, { firstAfterMs: 0, everyMs: readEveryMs, time, onError })
    },
    stop: () => stop(),

    /** From now on this node reports the others that are missing. */
    becomeOwner(): void {
      isOwner = true
    },

    /** @param from the URL of the last owner */
    ownerChanged(from: string, fence: number): void {
      const to = self().nodeUrl
      board.raise(
        'owner.changed',
        'exchanges',
        `The gateway ${to} sends to the exchanges now, in place of ${from}. If nobody has restarted or upgraded that one, look at its log`,
        { from, to, fence },
        fence,
      )
    },

    /** Called every minute. */
    check(): void {
      for (const { subject, raisedAtMs } of board.raised('owner.changed'))
        if (time.now() - raisedAtMs > OWNER_STAYS_MS)
          board.clear('owner.changed', subject, 'The same gateway has sent for ten minutes')
    },

    /** The URLs of the other nodes that were seen last. */
    otherUrls: (): string[] =>
      rows.nodes
        .filter((one) => isSeen(one, rows) && !one.isLeaving && one.nodeId !== self().nodeId)
        .flatMap(({ nodeUrl }) => (nodeUrl === '' ? [] : [nodeUrl])),

    isRunning: (nodeId: string): boolean =>
      rows.nodes.some((one) => one.nodeId === nodeId && isSeen(one, rows)),
  }
}

type Seen = Pick<GroupRows, 'atMs' | 'nodes'>

const isSeen = ({ seenAtMs }: NodeRow, { atMs }: Seen) => atMs - seenAtMs <= NODE_MISSING_AFTER_MS

/** @param sinceMs since when the nodes can announce themselves */
function checkMissing(board: AlertBoard, rows: Seen, sinceMs: number): void {
  const seen = rows.nodes.filter((one) => isSeen(one, rows))
  const seenUrls = new Set(seen.map(({ nodeUrl }) => nodeUrl))
  // The earlier run of a node that runs again is no missing node.
  const unseen = rows.nodes.filter((one) => !isSeen(one, rows) && !seenUrls.has(one.nodeUrl))
  for (const { nodeId, nodeUrl, version, seenAtMs } of unseen) {
    if (rows.atMs - Math.max(seenAtMs, sinceMs) <= NODE_MISSING_AFTER_MS) continue
    const lastSeenAt = new Date(seenAtMs).toISOString()
    board.raise(
      'node.missing',
      nodeUrl || nodeId,
      `The gateway ${nodeUrl || nodeId} was last seen at ${lastSeenAt}, and has not ended in order: it crashed, stalls, or is cut off from the database. Start it again, and look at its log`,
      { node: nodeId, version, lastSeenAt },
    )
  }
  const names = new Set(unseen.map(({ nodeId, nodeUrl }) => nodeUrl || nodeId))
  for (const { subject } of board.raised('node.missing'))
    if (!names.has(subject))
      board.clear('node.missing', subject, `The gateway ${subject} runs again, or was removed`)
}

const LOOK_EVERY_MS = 200
/** PostgreSQL restarts within this time, and a backup lets writes pass. */
const RAISE_AFTER_MS = 5_000
const ASK_EVERY_MS = 1_000
/** After an outage the owner may change, and a node that has not looked yet knows the last one. */
const OWNER_SETTLES_MS = 15_000

interface StoreWatchOptions {
  readonly board: AlertBoard
  readonly log: Pick<LogStore, 'look' | 'writable'>
  /** Which node sends to the exchanges: `self` is this one. */
  readonly owner: () => object | 'self' | undefined
  /** The URLs of the other nodes, as they were seen last. */
  readonly otherUrls: () => readonly string[]
  /** Whether another node can write; undefined when it does not respond. */
  readonly canWrite: (url: string) => Promise<boolean | undefined>
  /** The URL of this node; empty where it has none. */
  readonly url: string
  readonly time: Time
}

const TYPE = 'store.unwritable'
const SUBJECT = 'database'

/**
 * Watches whether the database can be written, at every node. While it cannot, the nodes have only
 * their own channel to agree by: of those that cannot write, the one whose URL is the first
 * reports it. Where another one can write, that one reports this node as missing.
 */
export function watchStore(options: StoreWatchOptions) {
  const { board, log, owner, otherUrls, canWrite, url, time } = options
  let since: { readonly monotonicMs: number; readonly atMs: number } | undefined
  let isReporter = false
  let writableSinceMs: number | undefined
  let askedAtMs = Number.NEGATIVE_INFINITY

  function look(): void {
    const nowMs = time.now()
    log.look(nowMs)
    const writable = log.writable()
    if (writable.ok) {
      recovered()
      return
    }
    writableSinceMs = undefined
    since ??= { monotonicMs: time.monotonic(), atMs: nowMs }
    if (isReporter || time.monotonic() - since.monotonicMs < RAISE_AFTER_MS) return
    if (time.monotonic() - askedAtMs < ASK_EVERY_MS) return
    askedAtMs = time.monotonic()
    void report(writable.error, since.atMs)
  }

  async function report(error: Error, sinceMs: number): Promise<void> {
    const others = otherUrls()
    const states = await Promise.all(others.map(canWrite))
    // It has recovered while it asked.
    if (since?.atMs !== sinceMs || states.includes(true)) return
    const why = storeFailureText(error) ?? 'the store cannot be written'
    const message = `No order is sent, because ${why}. The gateway continues by itself once it can write; docs/operations/recovery.md says what works until then`
    isReporter = !others.some((other, index) => other < url && states[index] === false)
    board.forget(TYPE, SUBJECT)
    if (isReporter)
      board.raise(TYPE, SUBJECT, message, {
        ...{ since: new Date(sinceMs).toISOString(), node: url === '' ? null : url },
      })
    else
      board.restore([
        { type: TYPE, subject: SUBJECT, raisedAtMs: time.now(), message, count: 1, level: 0 },
      ])
  }

  /** The owner says that it is over: the node that reported it may end when it loses its lock. */
  function recovered(): void {
    since = undefined
    isReporter = false
    if (!board.isRaised(TYPE, SUBJECT)) return
    writableSinceMs ??= time.monotonic()
    if (owner() === 'self') board.clear(TYPE, SUBJECT, 'The database can be written again')
    else if (time.monotonic() - writableSinceMs > OWNER_SETTLES_MS) board.forget(TYPE, SUBJECT)
  }

  const timer = time.setInterval(look, LOOK_EVERY_MS).unref()
  return () => timer.cancel()
}
