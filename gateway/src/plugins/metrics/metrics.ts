import { Registry } from 'prom-client'
import { createAlertMetrics } from './alert-metrics.ts'
import { createConnectionMetrics } from './connection-metrics.ts'
import { createHeartbeatMetrics } from './heartbeat-metrics.ts'
import { createHttpMetrics } from './http-metrics.ts'
import { createKeyMetrics } from './key-metrics.ts'
import { createLaneMetrics } from './lane-metrics.ts'
import { createLimitMetrics } from './limit-metrics.ts'
import { createNodeMetrics } from './node-metrics.ts'
import { createOrderMetrics } from './order-metrics.ts'
import { createProcessMetrics } from './process-metrics.ts'
import { createStoreMetrics } from './store-metrics.ts'
import { createUpstreamMetrics } from './upstream-metrics.ts'

/**
 * All metrics, in a registry of this app. The parts of the gateway report to it; counting costs a
 * few microseconds. The plugin that serves the metrics closes it.
 */
export function createMetrics() {
  const registry = new Registry()
  return {
    registry,
    http: createHttpMetrics(registry),
    connections: createConnectionMetrics(registry),
    lanes: createLaneMetrics(registry),
    upstream: createUpstreamMetrics(registry),
    orders: createOrderMetrics(registry),
    limits: createLimitMetrics(registry),
    heartbeats: createHeartbeatMetrics(registry),
    alerts: createAlertMetrics(registry),
    keys: createKeyMetrics(registry),
    nodes: createNodeMetrics(registry),
    store: createStoreMetrics(registry),
    process: createProcessMetrics(registry),
  }
}
export type Metrics = ReturnType<typeof createMetrics>
