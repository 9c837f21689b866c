import { Counter, type Registry } from 'prom-client'

/** The dead man's switches of clients. */
export function createHeartbeatMetrics(registry: Registry) {
  const missed = new Counter({
    name: 'sluice_heartbeats_missed_total',
    help: 'Clients that were stopped because their heartbeat did not come',
    registers: [registry],
  })
  return { missed: () => missed.inc() }
}
