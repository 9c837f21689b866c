import Type, { type Static } from 'typebox'
import { CLIENT_LIMIT_MAX } from '../constants.ts'
import { DEFAULT_PERMISSIONS, endpoint, PERMISSIONS } from '../endpoint.ts'
import { EFFECTIVE_STATES, USED_LIMITS } from '../limit-usage.ts'
import { NewClientId, Timestamp } from './common.ts'

const Description = Type.String({ maxLength: 200, description: 'What it is for; shown in lists' })
export const Permissions = Type.Array(Type.Enum([...PERMISSIONS]), {
  minItems: 1,
  uniqueItems: true,
  description:
    'What the client may do: read market data (`market`), read its accounts (`account`), place and cancel orders (`trade`), change settings of the account, such as leverage and position mode, and close all positions (`settings`), start grid bots, which the exchange runs on its own (`strategies`)',
  'x-error': 'At least one permission is required',
})

export const NewClient = Type.Object(
  {
    clientId: NewClientId,
    description: Type.Optional(Description),
    /** `DEFAULT_PERMISSIONS` when absent. */
    permissions: Type.Optional(Permissions),
  },
  { additionalProperties: false },
)
export type NewClient = Static<typeof NewClient>

export const ClientChanges = Type.Object(
  {
    description: Type.Optional(Description),
    permissions: Type.Optional(Permissions),
  },
  { additionalProperties: false, minProperties: 1 },
)
export type ClientChanges = Static<typeof ClientChanges>

export const Client = Type.Object({
  id: Type.Integer({ description: 'Database id' }),
  clientId: Type.String(),
  description: Type.Union([Type.String(), Type.Null()]),
  isActive: Type.Boolean({
    description: 'An inactive client gets no token, and its tokens stop working immediately',
  }),
  permissions: Permissions,
  secretPreview: Type.String({
    description: 'The first 8 and the last 4 characters; the secret itself is not stored',
  }),
  createdAt: Timestamp,
})
export type Client = Static<typeof Client>

/** A client in the list, with what its limits make of it. */
export const ListedClient = Type.Object({
  ...Client.properties,
  state: Type.Optional(
    Type.Enum([...EFFECTIVE_STATES], {
      description:
        'What holds for its orders now. A stop holds in shadow mode too, a state and an expiry do not',
    }),
  ),
  nearestLimit: Type.Optional(
    Type.Union(
      [
        Type.Object({
          limit: Type.Enum([...USED_LIMITS]),
          percent: Type.Integer({
            description: 'Used part, rounded; 100 only when it is reached, and may be above',
          }),
        }),
        Type.Null(),
      ],
      {
        description: 'The limit of which most is used; null: no such limit is set, or shadow mode',
      },
    ),
  ),
  wouldHaveRefused: Type.Optional(
    Type.Union([Type.Integer(), Type.Null()], {
      description:
        'In shadow mode: what its limits would have refused in the last 24 hours, since the gateway started. Null: they are in force',
    }),
  ),
})
export type ListedClient = Static<typeof ListedClient>

const sampleClient = {
  id: 7,
  clientId: 'client_1772721022000_k3v9x2m4q',
  description: 'Grid bot',
  isActive: true,
  permissions: [...DEFAULT_PERMISSIONS],
  secretPreview: 'sls_9fQ2...x7Kd',
  createdAt: '2026-03-05T14:30:22.000Z',
}
const ById = Type.Object({
  id: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'Database id' }),
})

export const listClients = endpoint({
  id: 'listClients',
  method: 'GET',
  path: '/api/admin/client-credentials',
  tag: 'Client credentials',
  summary: 'All client credentials, newest first',
  notes: [
    `\`X-Total-Count\` is the number of all. When there are more than \`limit\`, the next page is the one \`before\` the id of the last one.`,
  ],
  access: 'admin',
  query: Type.Object(
    {
      limit: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: CLIENT_LIMIT_MAX,
          default: CLIENT_LIMIT_MAX,
          description: 'Credentials in one page',
        }),
      ),
      before: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: Number.MAX_SAFE_INTEGER,
          description: 'Only credentials older than this id, to get the next page',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  response: Type.Array(ListedClient),
  sample: {
    response: [
      {
        ...{ ...sampleClient, state: 'active', wouldHaveRefused: null },
        nearestLimit: { limit: 'maxDayValue', percent: 20 },
      },
    ],
  },
})

export const createClient = endpoint({
  id: 'createClient',
  method: 'POST',
  path: '/api/admin/client-credentials',
  tag: 'Client credentials',
  summary: 'Create a client credential',
  notes: [
    'Only this response contains the secret. If it is lost, create a new one with `rotate-secret`.',
    'Without `permissions`, the client gets `market`, `account` and `trade`.',
  ],
  access: 'admin',
  confirm: 'second-factor',
  body: NewClient,
  status: 201,
  response: Type.Object({
    ...Client.properties,
    clientSecret: Type.String({ description: 'Shown once' }),
  }),
  sample: {
    body: { clientId: 'client_1772721022000_k3v9x2m4q', description: 'Grid bot' },
    response: { ...sampleClient, clientSecret: 'sls_9fQ2…x7Kd' },
  },
})

export const updateClient = endpoint({
  id: 'updateClient',
  method: 'PATCH',
  path: '/api/admin/client-credentials/{id}',
  tag: 'Client credentials',
  summary: 'Change what a client credential may do, or its description',
  notes: [
    'Absent fields keep their value; an empty description removes it.',
    'Removed permissions end immediately, for issued tokens and queued requests too. Added permissions apply to the next token.',
    'To add a permission you need a factor that you showed in the last five minutes: 403 `FRESH_FACTOR_NEEDED` otherwise.',
  ],
  access: 'admin',
  confirm: 'to-loosen',
  params: ById,
  body: ClientChanges,
  response: Client,
  sample: {
    params: { id: '7' },
    body: { permissions: ['market', 'account'] },
    response: { ...sampleClient, permissions: ['market', 'account'] },
  },
})

export const toggleClient = endpoint({
  id: 'toggleClient',
  method: 'PATCH',
  path: '/api/admin/client-credentials/{id}/toggle',
  tag: 'Client credentials',
  summary: 'Switch a client credential on or off',
  notes: [
    "Switching off revokes the client's tokens and removes its requests from the queue. No request that is not sent yet will be sent.",
    'To switch one on you need a factor that you showed in the last five minutes: 403 `FRESH_FACTOR_NEEDED` otherwise.',
  ],
  access: 'admin',
  confirm: 'to-loosen',
  params: ById,
  body: Type.Object({ isActive: Type.Boolean() }, { additionalProperties: false }),
  response: Type.Object({
    ...Client.properties,
    dropped: Type.Integer({ description: 'Queued requests that were rejected as not sent' }),
  }),
  sample: {
    params: { id: '7' },
    body: { isActive: false },
    response: { ...sampleClient, isActive: false, dropped: 0 },
  },
})

export const deleteClient = endpoint({
  id: 'deleteClient',
  method: 'DELETE',
  path: '/api/admin/client-credentials/{id}',
  tag: 'Client credentials',
  summary: 'Delete a client credential and all its data',
  notes: ['Also deletes its exchange keys, tokens and request logs. This cannot be undone.'],
  access: 'admin',
  params: ById,
  status: 204,
  sample: { params: { id: '7' } },
})
