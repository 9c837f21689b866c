import { setTimeout as sleep } from 'node:timers/promises'
import type { ClusterRound } from './cluster-round.ts'
import type { OwnerNow } from './group.ts'
import type { EventName } from './plan.ts'
import { isSentBy } from './senders-book.ts'

/** What the gateway promises. */
const TAKEOVER_MS = 10_000
const GIVE_UP_MS = 30_000
const LOOK_EVERY_MS = 10

/** The owner, after a wait if there is none at this moment. */
export async function ownerOf({ group }: ClusterRound): Promise<OwnerNow> {
  for (const untilMs = performance.now() + GIVE_UP_MS; ; await sleep(LOOK_EVERY_MS)) {
    const owner = group.owner()
    if (owner !== undefined) return owner
    if (performance.now() > untilMs) throw new Error('No node became the owner')
  }
}

/** Waits until another process is the owner and calls the exchange, and notes how long it took. */
export async function untilTakenOver(
  round: ClusterRound,
  event: EventName,
  before: OwnerNow,
  sinceMs: number,
): Promise<void> {
  const { group, takeovers, report } = round
  for (const untilMs = sinceMs + GIVE_UP_MS; performance.now() < untilMs; ) {
    await sleep(LOOK_EVERY_MS)
    const next = group.owner()
    if (next === undefined || next.fence <= before.fence) continue
    const callMs = (firstCallOf(round, next) ?? Number.POSITIVE_INFINITY) - sinceMs
    if (!Number.isFinite(callMs)) continue
    const ownerMs = (next.process.owner?.atMs ?? 0) - sinceMs
    takeovers.push({ event, ownerMs, callMs })
    if (callMs > TAKEOVER_MS)
      report(
        `after ${event}, another node was the owner in ${Math.round(ownerMs)} ms, and called the exchange in ${Math.round(callMs)} ms`,
      )
    return
  }
  const { node, fence } = group.owner() ?? {}
  report(
    `after ${event}, no other owner called the exchange in ${GIVE_UP_MS} ms; the owner is ${node?.name} under ${fence}, and was ${before.node.name} under ${before.fence}`,
  )
}

/** When a process called the exchange for the first time. It does not before it is the owner. */
function firstCallOf({ paper }: ClusterRound, { node, process }: OwnerNow): number | undefined {
  return paper
    .received()
    .find(
      (request) => isSentBy(request, node) && request.arrivedAtMonotonicMs > process.startedAtMs,
    )?.arrivedAtMonotonicMs
}
