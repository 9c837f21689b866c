import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { NODE_MISSING_AFTER_MS } from 'schema'
import type { Config } from '../config.ts'
import { AnnouncedNode } from '../nodes/announced-node.ts'
import type { Ownership } from '../nodes/ownership.ts'
import type { Stores } from '../store/stores.ts'
import type { Time } from '../time.ts'
import type { KeyRing } from '../vault/key-ring.ts'
import { RELEASE } from '../version.ts'
import type { AppOptions } from './app-options.ts'

interface AnnouncedNodeParts {
  readonly app: FastifyInstance
  readonly config: Config
  readonly options: AppOptions
  readonly stores: Stores
  readonly ring: KeyRing
  /** Undefined where the database is a file. */
  readonly ownership: Ownership | undefined
  readonly time: Time
}

/** What this gateway tells the others of its group. */
export function createAnnouncedNode(parts: AnnouncedNodeParts): AnnouncedNode {
  const { app, config, options, stores, ring, ownership, time } = parts
  return new AnnouncedNode({
    nodes: stores.nodes,
    node: ownership?.node ?? { nodeId: randomUUID(), nodeUrl: config.node?.url ?? '' },
    version: RELEASE,
    keyIds: () => ring.keys().map(({ keyId }) => keyId),
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
        'another gateway has the same NODE_URL, so requests that come to the one that stands by fail: give each its own',
      ),
    time,
  })
}
