import type { ReceivedRequest } from '../../paper-exchange/src/received.ts'
import { isMistimed } from '../crash/exchange-book.ts'
import type { Group } from './group.ts'
import type { Node } from './node.ts'
import type { NodeProcess } from './processes.ts'

/** Whether a node has sent a request: each reaches the exchange by a port of its own. */
export const isSentBy = (
  { headers }: ReceivedRequest,
  { exchangePort }: Pick<Node, 'exchangePort'>,
) => headers.host === `127.0.0.1:${exchangePort}`

export interface SendersBook {
  /** Unsigned reads of a process that another owner had followed: only the lease holds them. */
  readonly lateReads: number
  /** Signed requests of such a process, which the exchange refused for their time. */
  readonly lateRefused: number
  readonly violations: readonly string[]
}

/**
 * Only the owner sends, and none sends once the next one has: looks at each request in the order
 * in which they came to the exchange.
 */
export function checkSenders(received: readonly ReceivedRequest[], { nodes }: Group): SendersBook {
  const violations: string[] = []
  let lateReads = 0
  let lateRefused = 0
  let latest = 0
  for (const request of received) {
    const { seq, method, path, arrivedAtMonotonicMs, account } = request
    const node = nodes.find((each) => isSentBy(request, each))
    const process = node?.processes.findLast((run) => run.startedAtMs < arrivedAtMonotonicMs)
    const what = `${seq} ${method} ${path} by node ${node?.name}`
    const fence = fenceOf(process)
    if (fence === undefined) violations.push(`${what} came, which was never the owner`)
    else if (fence >= latest) latest = fence
    else if (account === null) lateReads += 1
    else if (isMistimed(request)) lateRefused += 1
    else violations.push(`${what}, the owner under ${fence}, came after one under ${latest}`)
  }
  return { lateReads, lateRefused, violations }
}

/** It says so a moment after it has become the owner, and may send in between. */
const fenceOf = (process: NodeProcess | undefined) => process?.owner?.fence
