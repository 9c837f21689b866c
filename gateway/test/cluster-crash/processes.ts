import type { GatewayExit } from '../crash/gateway.ts'

/** One run of a node. Times are of this process's monotonic clock. */
export interface NodeProcess {
  readonly node: string
  readonly startedAtMs: number
  /** When it listened. */
  listenedAtMs?: number
  /** When it said that it is the owner, and under which number. */
  owner?: { readonly fence: number; readonly atMs: number }
  endedAtMs?: number
  exit?: GatewayExit
}
