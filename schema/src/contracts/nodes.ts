import Type, { type Static } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { Timestamp } from './common.ts'

const orNull = <T extends Type.TSchema>(schema: T, description: string) =>
  Type.Union([schema, Type.Null()], { description })

/** A node says every 5 seconds that it runs; so long after the last time it counts as missing. */
export const NODE_MISSING_AFTER_MS = 12_000

/** One gateway of those that share a database. */
export const GatewayNode = Type.Object({
  id: Type.String({
    description: 'Names one run of the gateway; it is another one after a restart',
  }),
  url: orNull(Type.String(), 'Where the other nodes reach it (`NODE_URL`); null: it has none'),
  version: Type.String({ description: 'The number of its release and its commit' }),
  isOwner: Type.Boolean({
    description: 'Whether it is the one that sends to the exchanges; the others stand by',
  }),
  isLeaving: Type.Boolean({ description: 'Whether it is shutting down' }),
  isMissing: Type.Boolean({
    description: `Whether it was not seen for ${NODE_MISSING_AFTER_MS / 1000} seconds: it crashed, stalls or is cut off`,
  }),
  startedAt: Timestamp,
  seenAt: Timestamp,
  keyIds: Type.Array(Type.String(), {
    description: 'The ids of the master keys that it has loaded, oldest first',
  }),
  clockOffsetMs: orNull(
    Type.Integer(),
    "How far its clock is ahead of the database's; null until it was measured",
  ),
})
export type GatewayNode = Static<typeof GatewayNode>

/** A PostgreSQL server that has a copy of the database and can take its place. */
export const Standby = Type.Object({
  name: Type.String({ description: 'Its `application_name`' }),
  state: orNull(Type.String(), 'Null: the role of the gateway may not read it'),
  lagBytes: orNull(Type.Integer(), 'What it has not replayed yet'),
  lagMs: orNull(Type.Integer(), 'How late it replays; null also while nothing is written'),
})
export type Standby = Static<typeof Standby>

export const NodeGroup = Type.Object({
  at: Timestamp,
  database: Type.Enum(['file', 'postgresql']),
  answeredBy: Type.String({ description: 'The id of the node that responded to this request' }),
  owner: orNull(
    Type.Object({
      fence: Type.Integer({
        minimum: 0,
        description: 'The fencing number: grows with each change of the owner',
      }),
      since: Timestamp,
    }),
    'The latest change of the owner; null: no node is the owner',
  ),
  nodes: Type.Array(GatewayNode, { description: 'Those that started first come first' }),
  standbys: Type.Array(Standby, { description: 'The standbys of PostgreSQL, if it has any' }),
})
export type NodeGroup = Static<typeof NodeGroup>

const AT = '2026-03-05T14:30:22.000Z'
const sampleNode: GatewayNode = {
  id: '0b6f5c0e-2f0f-4d1c-9f6b-3f6a1a0e7c11',
  ...{ url: 'https://10.0.0.2:8443', version: '1.0.0+9fceb02d0ae5' },
  ...{ isOwner: true, isLeaving: false, isMissing: false },
  ...{ startedAt: '2026-03-05T08:00:00.000Z', seenAt: '2026-03-05T14:30:20.000Z' },
  ...{ keyIds: ['1f0c5a7e9b2d4c68'], clockOffsetMs: 4 },
}
const sample: NodeGroup = {
  ...{ at: AT, database: 'postgresql', answeredBy: sampleNode.id },
  owner: { fence: 7, since: '2026-03-05T08:00:03.000Z' },
  nodes: [
    sampleNode,
    {
      ...sampleNode,
      ...{ id: '77c1e0a4-7d0c-4b56-8a52-5d0b7f0a9e02', url: 'https://10.0.0.3:8443' },
      ...{ isOwner: false, startedAt: '2026-03-05T08:01:00.000Z', clockOffsetMs: -11 },
    },
  ],
  standbys: [{ name: 'standby-1', state: 'streaming', lagBytes: 1_024, lagMs: 3 }],
}

export const listNodes = endpoint({
  id: 'listNodes',
  method: 'GET',
  path: '/api/admin/nodes',
  tag: 'Operations',
  summary: 'The gateways that share the database: which one is the owner, and which are missing',
  notes: [
    'Every node responds to it, also while none of them is the owner.',
    'Times of several gateways are those of the database, so their clocks are not compared.',
    'A node that ends in order is removed from the list at once, one that crashed after a day, or when it starts again with the same URL.',
    'A gateway whose database is a file is alone, and is the owner.',
  ],
  access: 'admin',
  anywhere: true,
  response: NodeGroup,
  sample: { response: sample },
})
