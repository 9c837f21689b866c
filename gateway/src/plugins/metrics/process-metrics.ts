import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Counter, Gauge, type Registry } from 'prom-client'
import { COMMIT, VERSION } from '../../version.ts'

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
