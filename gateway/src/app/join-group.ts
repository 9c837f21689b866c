import type { FastifyInstance } from 'fastify'
import type { Config } from '../config.ts'
import { listenToNodes, type NodeListener } from '../nodes/listen-to-nodes.ts'
import type { Owners } from '../nodes/owners.ts'
import { passRequests } from '../nodes/pass-requests.ts'
import { Passing } from '../nodes/passing.ts'
import type { JournalStore } from '../store/journal-store.ts'
import type { KeyRing } from '../vault/key-ring.ts'
import { createNodeKeys } from '../vault/node-keys.ts'

export interface GroupDeps {
  readonly app: FastifyInstance
  readonly config: Config
  readonly owners: Owners
  readonly ring: KeyRing
  readonly journal: Pick<JournalStore, 'find'>
}

/** This gateway's part in a group: it takes requests of other nodes, and passes its own to them. */
export interface Group {
  /** Call it where the routes come later whose requests are to be passed. */
  passRequests(): void
  /** Passes nothing any more, and waits for the responses of other nodes, at most for so long. */
  finish(withinMs: number): Promise<void>
  close(): Promise<void>
}

/** @returns undefined for a gateway that is alone on its database */
export function joinGroup({ app, config, owners, ring, journal }: GroupDeps): Group | undefined {
  const { node } = config
  if (node === undefined) return undefined
  const keys = createNodeKeys(ring)
  const passing = new Passing({ keys, timeoutMs: longestResponseMs(config) })
  let listener: NodeListener | undefined
  app.addHook('onReady', async () => {
    listener = await listenToNodes(app, { ...node.listen, keys })
  })
  return {
    passRequests: () =>
      passRequests(app, {
        ...{ owners, passing, nodeId: node.url },
        async exchangeOfQueued(id) {
          const row = await journal.find(id)
          return row?.state === 'queued' ? row.exchange : undefined
        },
      }),
    finish: (withinMs) => passing.finish(withinMs),
    async close() {
      await passing.close()
      await listener?.close()
    },
  }
}

/**
 * The longest that an honest response takes: a wait in the queue for each of two calls, and the
 * calls themselves with their repetitions and look-ups.
 */
function longestResponseMs({ lane, upstreamTimeoutMs }: Config): number {
  return 2 * lane.maxQueueWaitMs + 6 * upstreamTimeoutMs
}
