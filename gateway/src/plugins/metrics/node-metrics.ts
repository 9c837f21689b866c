import { Counter, Gauge, type Registry } from 'prom-client'
import { NODE_MISSING_AFTER_MS } from 'schema'
import type { GroupRows } from '../../store/node-store.ts'

/** What this node does in its group. */
export interface NodeNow {
  /** Whether it sends to the exchanges. */
  readonly isOwner: boolean
  /** Its fencing number; 0 where it is not the owner, or alone on its database. */
  readonly fence: number
  /** How many requests wait for an owner. */
  readonly parked: number
}

/** The nodes of a group, as this node sees them. */
export function createNodeMetrics(registry: Registry) {
  const registers = [registry]
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers })
  const owner = gauge('sluice_node_owner', '1 if this gateway sends to the exchanges')
  const fence = gauge(
    'sluice_node_fence',
    'The fencing number under which this gateway is the owner; 0: it is not, or it is alone on its database',
  )
  const parked = gauge(
    'sluice_requests_parked',
    'Requests that wait for a node to become the owner',
  )
  const seen = gauge(
    'sluice_nodes_seen',
    'Gateways on the database that said within 12 seconds that they run',
  )
  const missing = gauge(
    'sluice_nodes_missing',
    'Gateways that stopped saying so within the last day without having ended in order',
  )
  const versions = gauge('sluice_node_versions', 'Different versions among the gateways that run')
  const takeovers = new Counter({
    name: 'sluice_node_takeovers_total',
    help: 'How often this gateway became the owner',
    registers,
  })
  const passed = new Counter({
    name: 'sluice_requests_passed_total',
    help: 'Requests that went from this gateway to the owner',
    labelNames: ['result'],
    registers,
  })
  for (const result of ['answered', 'failed'] as const) passed.inc({ result }, 0)
  return {
    tookOver: () => takeovers.inc(),
    passed: (result: 'answered' | 'failed') => passed.inc({ result }),
    refresh(now: NodeNow): void {
      owner.set(Number(now.isOwner))
      fence.set(now.fence)
      parked.set(now.parked)
    },
    /** @param group undefined: this gateway is alone on its database */
    refreshGroup(group: Pick<GroupRows, 'atMs' | 'nodes'> | undefined): void {
      const running = group?.nodes.filter(
        ({ seenAtMs }) => group.atMs - seenAtMs <= NODE_MISSING_AFTER_MS,
      )
      seen.set(running?.length ?? 1)
      missing.set((group?.nodes.length ?? 0) - (running?.length ?? 0))
      versions.set(running === undefined ? 1 : new Set(running.map(({ version }) => version)).size)
    },
  }
}
