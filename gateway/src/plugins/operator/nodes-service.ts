import { type GatewayNode, NODE_MISSING_AFTER_MS, type NodeGroup } from 'schema'
import type { NodeAnnouncement, NodeRow, NodeStore } from '../../store/node-store.ts'
import { toTime } from './times.ts'

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
