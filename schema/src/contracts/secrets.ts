import Type, { type Static } from 'typebox'
import { OLD_SECRET_SECONDS, OLD_SECRET_SECONDS_MAX, TOKEN_TTL_SECONDS } from '../constants.ts'
import { endpoint } from '../endpoint.ts'
import { Timestamp } from './common.ts'
import { getToken, Token } from './tokens.ts'

const ById = Type.Object({
  id: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'Database id' }),
})
const TimestampOrNull = (description: string) =>
  Type.Union([Timestamp, Type.Null()], { description })

export const SecretRotation = Type.Object(
  {
    oldSecretValidSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: OLD_SECRET_SECONDS_MAX,
        default: OLD_SECRET_SECONDS,
        description:
          'How long the present secret still works. 0 ends it at once, and revokes the tokens of the client',
        'x-error': `must be a whole number from 0 to ${OLD_SECRET_SECONDS_MAX}`,
      }),
    ),
  },
  { additionalProperties: false },
)
export type SecretRotation = Static<typeof SecretRotation>

export const RotatedSecret = Type.Object({
  clientSecret: Type.String({ description: 'Shown once' }),
  secretPreview: Type.String({ description: 'The first 8 and the last 4 characters' }),
  oldSecretExpiresAt: TimestampOrNull('Until then the old secret works too; null: it has ended'),
})
export type RotatedSecret = Static<typeof RotatedSecret>

const secret = {
  preview: Type.String({ description: 'The first 8 and the last 4 characters' }),
  lastUsedAt: TimestampOrNull(
    'When a token was last requested with it, to the minute; null: never, as far as is known',
  ),
  lastUsedFrom: Type.Union([Type.String(), Type.Null()], {
    description: 'The address that this request came from',
  }),
}

export const SecretList = Type.Object({
  current: Type.Object(secret),
  old: Type.Union([Type.Object({ ...secret, expiresAt: Timestamp }), Type.Null()], {
    description: 'The secret before the last rotation, while it still works',
  }),
})
export type SecretList = Static<typeof SecretList>

export const listClientSecrets = endpoint({
  id: 'listClientSecrets',
  method: 'GET',
  path: '/api/admin/client-credentials/{id}/secrets',
  tag: 'Client credentials',
  summary: "A client's secrets that work, and when and from where each was last used",
  notes: [
    'A use is a request for a token with the right secret, also when the client was refused for another reason, such as its address.',
  ],
  access: 'admin',
  anywhere: true,
  params: ById,
  response: SecretList,
  sample: {
    params: { id: '7' },
    response: {
      current: { preview: 'sls_Zk81...p0Qe', lastUsedAt: null, lastUsedFrom: null },
      old: {
        preview: 'sls_9fQ2...x7Kd',
        lastUsedAt: '2026-03-05T14:30:22.000Z',
        lastUsedFrom: '203.0.113.7',
        expiresAt: '2026-03-05T15:30:00.000Z',
      },
    },
  },
})

export const rotateClientSecret = endpoint({
  id: 'rotateClientSecret',
  method: 'POST',
  path: '/api/admin/client-credentials/{id}/rotate-secret',
  tag: 'Client credentials',
  summary: 'Create a new secret for a client; the present one still works for a while',
  notes: [
    'Only this response contains the new secret.',
    'At most one old secret works. Rotating again ends the one before it at once.',
    'Tokens last up to 600 seconds, also longer than the secret that they were issued for.',
  ],
  access: 'admin',
  confirm: 'second-factor',
  params: ById,
  body: SecretRotation,
  status: 201,
  response: RotatedSecret,
  sample: {
    params: { id: '7' },
    body: { oldSecretValidSeconds: OLD_SECRET_SECONDS },
    response: {
      clientSecret: 'sls_Zk81…p0Qe',
      secretPreview: 'sls_Zk81...p0Qe',
      oldSecretExpiresAt: '2026-03-05T15:30:00.000Z',
    },
  },
})

export const endOldSecret = endpoint({
  id: 'endOldSecret',
  method: 'DELETE',
  path: '/api/admin/client-credentials/{id}/old-secret',
  tag: 'Client credentials',
  summary: "End a client's old secret at once",
  notes: [
    'Also revokes all tokens of the client: which secret they were issued for is not recorded. The bot gets new ones with the current secret.',
    'Repeating the call is no error; it revokes the tokens again.',
  ],
  access: 'admin',
  params: ById,
  status: 204,
  sample: { params: { id: '7' } },
})

export const issueClientToken = endpoint({
  id: 'issueClientToken',
  method: 'POST',
  path: '/api/admin/client-credentials/{id}/token',
  tag: 'Client credentials',
  summary: 'Get a token of a client, to try a call in its name',
  notes: [
    `The token is one that the bot itself would get: it is valid for ${TOKEN_TTL_SECONDS} seconds, has all permissions of the client, counts against its tokens of a minute, and ends with the client.`,
    'The rules of the client hold for the administrator: it must be active and not expired, and the call must come from an address that it may be used from.',
    'Only this response contains the token. The audit trail says who got it, before it is valid.',
  ],
  access: 'admin',
  confirm: 'second-factor',
  params: ById,
  response: Token,
  sample: { params: { id: '7' }, response: getToken.sample.response },
})
