import { Counter, Gauge, type Registry } from 'prom-client'
import type { ConnectionCounts } from '../../http/connection-limit.ts'

/** Connections of callers to the gateway. */
export function createConnectionMetrics(registry: Registry) {
  const registers = [registry]
  const open = new Gauge({
    name: 'sluice_connections_open',
    help: 'Open connections of callers',
    registers,
  })
  const refused = new Counter({
    name: 'sluice_connections_refused_total',
    help: 'Connections closed at once, by the limit that they exceeded',
    labelNames: ['limit'] as const,
    registers,
  })
  return {
    refresh(counts: ConnectionCounts): void {
      open.set(counts.open)
      refused.reset()
      refused.inc({ limit: 'all' }, counts.refused.all)
      refused.inc({ limit: 'address' }, counts.refused.address)
    },
  }
}
