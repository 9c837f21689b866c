import { NODE_MISSING_AFTER_MS } from 'schema'
import { runRegularly } from '../operations/run-regularly.ts'
import { isStoreFailure } from '../store/errors.ts'
import type { GroupRows, NodeRow, NodeStore } from '../store/node-store.ts'
import type { Time } from '../time.ts'
import type { AlertBoard } from './alert-board.ts'

const READ_EVERY_MS = 5_000
/** An owner that stays for this long ends the alert about its change. */
const OWNER_STAYS_MS = 10 * 60_000

export interface GroupAlertsDeps {
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
export function createGroupAlerts(deps: GroupAlertsDeps) {
  const { board, nodes, self, time, onError, readEveryMs = READ_EVERY_MS } = deps
  let rows: Pick<GroupRows, 'atMs' | 'nodes'> = { atMs: 0, nodes: [] }
  /** Since when every read succeeded, by the database's clock: nodes can announce themselves. */
  let readableSinceMs: number | undefined
  let isOwner = false

  const isSeen = ({ seenAtMs }: NodeRow) => rows.atMs - seenAtMs <= NODE_MISSING_AFTER_MS

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
    if (own !== undefined && !isSeen(own)) readableSinceMs = rows.atMs
    readableSinceMs ??= rows.atMs
    if (isOwner) checkMissing(readableSinceMs)
  }

  function checkMissing(sinceMs: number): void {
    const seenUrls = new Set(rows.nodes.filter(isSeen).map(({ nodeUrl }) => nodeUrl))
    // The earlier run of a node that runs again is no missing node.
    const unseen = rows.nodes.filter((one) => !isSeen(one) && !seenUrls.has(one.nodeUrl))
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
        .filter((one) => isSeen(one) && !one.isLeaving && one.nodeId !== self().nodeId)
        .flatMap(({ nodeUrl }) => (nodeUrl === '' ? [] : [nodeUrl])),

    isRunning: (nodeId: string): boolean =>
      rows.nodes.some((one) => one.nodeId === nodeId && isSeen(one)),
  }
}
export type GroupAlerts = ReturnType<typeof createGroupAlerts>
