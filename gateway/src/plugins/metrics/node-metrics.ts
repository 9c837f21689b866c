import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Counter, Gauge, type Registry } from 'prom-client'
import { NODE_MISSING_AFTER_MS } from 'schema'
import type { GroupRows } from '../../store/node-store.ts'
import { COMMIT, VERSION } from '../../version.ts'

/** What this node does in its group. */
interface NodeNow {
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

const PERCENTILES = [50, 90, 99, 100] as const
const NS_PER_SECOND = 1e9
/** How often the event loop delay is sampled; shorter delays are not seen. */
const RESOLUTION_MS = 10

/** Metrics of the process itself. `close()` stops the measurement. */
export function createProcessMetrics(registry: Registry) {
  const registers = [registry]
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delays.enable()
  const delay = new Gauge({
    name: 'sluice_event_loop_delay_seconds',
    help: 'Event loop delay since the last scrape, by percentile; 100 is the maximum',
    labelNames: ['percentile'] as const,
    registers,
  })
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read())
      },
    })
  gauge('process_start_time_seconds', 'Unix time of the process start', () =>
    Math.round(performance.timeOrigin / 1000),
  )
  gauge('process_resident_memory_bytes', 'Memory of the process', process.memoryUsage.rss)
  new Counter({
    name: 'process_cpu_seconds_total',
    help: 'Processor time, user and system',
    registers,
    collect() {
      const { user, system } = process.cpuUsage()
      this.reset()
      this.inc((user + system) / 1e6)
    },
  })
  new Gauge({
    name: 'sluice_build_info',
    help: 'Always 1; its labels carry the version and the commit',
    labelNames: ['version', 'commit', 'node'] as const,
    registers,
  }).set({ version: VERSION, commit: COMMIT, node: process.version }, 1)

  return {
    refresh(): void {
      for (const percentile of PERCENTILES) {
        const lateNs = delays.count === 0 ? 0 : delays.percentile(percentile)
        // The sampling period itself is part of the measured delay.
        const lateSeconds = Math.max(0, lateNs / NS_PER_SECOND - RESOLUTION_MS / 1000)
        delay.set({ percentile }, lateSeconds)
      }
      delays.reset()
    },
    close: () => void delays.disable(),
  }
}
