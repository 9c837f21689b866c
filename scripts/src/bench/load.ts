import type { ChildProcess } from 'node:child_process'
import { endChild, forkOn, messageOf } from './child.ts'
import { quantile } from './figure.ts'

/** The most connections of anything here to anything: `UPSTREAM_CONCURRENCY` has this limit. */
export const CONNECTIONS_MAX = 100

/**
 * A request that is sent again and again; `{n}` in it is another text each time, and `{signature}`
 * another one that is as long as a token's signature.
 */
export interface RequestTemplate {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

export interface Load {
  readonly origin: string
  /** They take turns. */
  readonly requests: readonly RequestTemplate[]
  readonly connections: number
  readonly ms: number
  /**
   * Requests per second at fixed moments, however long responses take; absent: each connection
   * sends its next request when it has the response to the one before.
   */
  readonly perSecond?: number
  /** The status that every response has to have. */
  readonly status: number
  /** Begins every `{n}`, so that no two loads send the same. */
  readonly prefix: string
}

/** What the process that makes the load reports. */
export type LoadReport =
  | {
      readonly latenciesMs: readonly number[]
      readonly spentMs: number
      readonly sent: number
    }
  | { readonly failure: string }

interface Measured {
  readonly p50: number
  readonly p99: number
  readonly max: number
  readonly perSecond: number
  /** How many requests were sent, with those that are not counted in the numbers above. */
  readonly sent: number
}

export interface LoadMaker {
  /** @throws when a single response has another status than the load says, with its body */
  run(load: Omit<Load, 'prefix'>): Promise<Measured>
  stop(): Promise<void>
}

/** Makes loads in a process of its own, so that nothing delays its clock. */
export function startLoadMaker(): LoadMaker {
  const child: ChildProcess = forkOn('around', 'load-process.ts')
  const startedAs = Date.now().toString(36)
  let loads = 0
  return {
    async run(load) {
      loads += 1
      const report = messageOf<LoadReport>(child)
      child.send({ ...load, prefix: `${startedAs}${loads.toString(36)}x` } satisfies Load)
      const found = await report
      if ('failure' in found) throw new Error(`${load.origin}: ${found.failure}`)
      const { latenciesMs, spentMs, sent } = found
      return {
        p50: quantile(latenciesMs, 0.5),
        p99: quantile(latenciesMs, 0.99),
        max: quantile(latenciesMs, 1),
        perSecond: (latenciesMs.length * 1000) / spentMs,
        sent,
      }
    },
    stop: () => endChild(child),
  }
}
