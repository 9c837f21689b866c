import { setTimeout as sleep } from 'node:timers/promises'
import { pick } from '../campaign/bot.ts'
import type { Node, NodeProcess } from './node.ts'

/** How often a load balancer asks whether a node is ready. */
const LOOK_EVERY_MS = 150
/** Of so many calls one goes to any node that listens, as from a bot with a fixed address. */
const ANY_OF = 5

export interface Group {
  readonly nodes: readonly Node[]
  /** The node that said last that it is the owner, while its process runs. */
  owner(): OwnerNow | undefined
  /** All runs of all nodes. */
  processes(): readonly NodeProcess[]
  /** A node for a bot's next request: one that is ready, now and then any; waits for one. */
  url(): Promise<string>
  /** Waits until every node is ready and one is the owner. @throws when that takes too long */
  untilWhole(): Promise<void>
  /** Ends what asks the nodes whether they are ready; who waits for one gets an error. */
  close(): void
}

export interface OwnerNow {
  readonly node: Node
  readonly process: NodeProcess
  readonly fence: number
}

/** Three gateways start, on a machine that does other things as well. */
const WHOLE_MS = 180_000

/** @param isCalm whether bots only use nodes that are ready */
export function createGroup(nodes: readonly Node[], random: () => number, isCalm: boolean): Group {
  let ready: readonly Node[] = []
  let isClosed = false
  let calls = 0
  const look = async () => {
    while (!isClosed) {
      const states = await Promise.all(
        nodes.map(async (node) => ({ node, isReady: await node.isReady() })),
      )
      ready = states.flatMap(({ node, isReady }) => (isReady ? [node] : []))
      await sleep(LOOK_EVERY_MS)
    }
  }
  void look()

  function next(): string | undefined {
    calls += 1
    const isAny = !isCalm && calls % ANY_OF === 0
    const urls = (isAny ? nodes : ready).flatMap((node) => node.url() ?? [])
    return urls.length === 0 ? undefined : pick(random, urls)
  }

  const group: Group = {
    nodes,
    processes: () => nodes.flatMap(({ processes }) => processes),
    owner() {
      const owners = nodes.flatMap((node) =>
        node.processes.flatMap((process) =>
          process.owner === undefined ? [] : [{ node, process, fence: process.owner.fence }],
        ),
      )
      const latest = owners.toSorted((one, other) => other.fence - one.fence)[0]
      return latest?.process.endedAtMs === undefined ? latest : undefined
    },
    async url() {
      for (;;) {
        if (isClosed) throw new Error('The round is over')
        const url = next()
        if (url !== undefined) return url
        await sleep(LOOK_EVERY_MS)
      }
    },
    async untilWhole() {
      const untilMs = performance.now() + WHOLE_MS
      while (ready.length < nodes.length || group.owner() === undefined) {
        if (performance.now() > untilMs)
          throw new Error(
            `Only ${ready.map(({ name }) => name).join(' and ') || 'no node'} became ready; the owner is ${group.owner()?.node.name}`,
          )
        await sleep(LOOK_EVERY_MS)
      }
    },
    close() {
      isClosed = true
    },
  }
  return group
}
