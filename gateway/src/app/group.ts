import { randomUUID } from 'node:crypto'
import { NODE_MISSING_AFTER_MS } from 'schema'
import type { Config } from '../config.ts'
import type { OpenConnections } from '../http/connections.ts'
import type { OpenStreams } from '../http/open-streams.ts'
import { AnnouncedNode } from '../nodes/announced-node.ts'
import { listenToNodes, type NodeListener } from '../nodes/channel.ts'
import type { Ownership, OwnerView } from '../nodes/ownership.ts'
import { PARKED_MS, type PassResult, passRequests } from '../nodes/pass-requests.ts'
import { PassStreams } from '../nodes/pass-streams.ts'
import { ParkedRequests, Passing } from '../nodes/passing.ts'
import { createNodeKeys } from '../vault/key-ring.ts'
import { RELEASE } from '../version.ts'
import type { Core } from './app-options.ts'

/** This gateway's part in a group: it takes requests of other nodes, and passes its own to them. */
export interface Group {
  /** Call it before the routes whose requests are to be passed. */
  passRequests(): void
  /** From now on this node takes no request as the owner: the next owner gets it. */
  leave(): void
  /**
   * Waits until every request has its response, as long as `groupCloseMs` allows; then those that
   * wait for another node get an error that says what is known of them. From then on nothing is
   * passed.
   */
  finish(): Promise<void>
  close(): Promise<void>
  /** How many requests wait for an owner. */
  parkedCount(): number
  /** Whether another node can write to the database; undefined when it does not respond. */
  canWrite(url: string): Promise<boolean | undefined>
}

/** @returns undefined for a gateway that is alone on its database */
export function joinGroup(
  { app, config, options, stores, vault, time }: Core,
  links: {
    readonly ownerView: OwnerView
    readonly onPassed: (result: PassResult) => void
    /** Ends an order that this node has handed over, unless an owner has taken it. */
    readonly endHandedOver: (id: string) => Promise<boolean>
    readonly responded: OpenConnections['responded']
    readonly openStreams: OpenStreams
  },
): Group | undefined {
  const { ownerView, onPassed, endHandedOver, responded, openStreams } = links
  const { node } = config
  if (node === undefined) return undefined
  const keys = createNodeKeys(vault.ring)
  const times = options.passingTimes
  const canWrite = () => stores.log.writable().ok
  const passing = new Passing({ keys, timeoutMs: longestResponseMs(config), time, times })
  let isLeaving = false
  const known: OwnerView = {
    owner() {
      const owner = ownerView.owner()
      return owner === 'self' && isLeaving ? undefined : owner
    },
    refresh: async () => ownerView.refresh?.(),
  }
  const nodeId = ownerView.node?.nodeId ?? ''
  const parked = new ParkedRequests({ ownerView: known, time, self: { nodeId, url: node.url } })
  const toOwner = { ownerView: known, passing, nodeId: node.url, onPassed, time }
  const streams = new PassStreams(app, { ...toOwner, streams: openStreams })
  let listener: NodeListener | undefined
  app.addHook('onReady', async () => {
    listener = await listenToNodes(app, { ...node.listen, keys, nodeId, canWrite, time })
  })
  return {
    passRequests: () =>
      passRequests(app, {
        ...{ ...toOwner, parked, endHandedOver, parkedMs: times?.parkedMs },
        passStream: (request, reply) => streams.pass(request, reply),
      }),
    leave() {
      isLeaving = true
      listener?.leave()
    },
    parkedCount: () => parked.size,
    canWrite: (url) => passing.canWrite(url),
    async finish() {
      const withinMs = groupCloseMs(config)
      // A request that has come just now will be passed in a moment.
      await Promise.all([responded(withinMs), passing.idle(withinMs)])
      passing.end()
      parked.close()
    },
    async close() {
      await passing.close()
      await listener?.close()
    },
  }
}

/**
 * How much longer a node of a group may take to close: its requests wait for the next owner, in its
 * queue, and then for the exchange. 0 for a gateway that is alone on its database.
 */
export function groupCloseMs({ node, lane, upstreamTimeoutMs }: Config): number {
  return node === undefined ? 0 : PARKED_MS + lane.maxQueueWaitMs + upstreamTimeoutMs
}

/**
 * The longest that an honest response takes: a wait in the queue for each of two calls, and the
 * calls themselves with their repetitions and look-ups.
 */
function longestResponseMs({ lane, upstreamTimeoutMs }: Config): number {
  return 2 * lane.maxQueueWaitMs + 6 * upstreamTimeoutMs
}

/** What this gateway tells the others of its group. */
export function createAnnouncedNode(
  { app, config, options, stores, vault, time }: Core,
  ownership: Ownership | undefined,
): AnnouncedNode {
  return new AnnouncedNode({
    nodes: stores.nodes,
    node: ownership?.node ?? { nodeId: randomUUID(), nodeUrl: config.node?.url ?? '' },
    version: RELEASE,
    keyIds: () => vault.ring.keys().map(({ keyId }) => keyId),
    staleMs: NODE_MISSING_AFTER_MS,
    everyMs: options.announceEveryMs,
    onError: (err) => app.log.warn({ err }, 'this node could not be announced to its group'),
    onOtherVersions: (others) =>
      app.log.warn(
        { version: RELEASE, others },
        'gateways of different versions run on this database; upgrade them all',
      ),
    onTwin: () =>
      app.log.error(
        { nodeUrl: config.node?.url },
        'another gateway has the same NODE_URL, so requests that reach the standby fail: give each its own',
      ),
    time,
  })
}
