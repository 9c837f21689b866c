import Type, { type Static } from 'typebox'
import { NEW_PASSWORD_LENGTH_MIN, PASSWORD_LENGTH_MAX } from '../constants.ts'
import { endpoint } from '../endpoint.ts'
import { AdminRole } from './auth.ts'
import { Timestamp } from './common.ts'
import { FACTORS } from './second-step.ts'

const orNull = <T extends Type.TSchema>(schema: T, description: string) =>
  Type.Union([schema, Type.Null()], { description })

/** How a session began, or what a person last showed in it. */
export const SIGN_IN_FACTORS = FACTORS

export const AdminSession = Type.Object({
  id: Type.String({ description: 'Also in the audit trail' }),
  createdAt: Timestamp,
  lastUsedAt: Type.String({ description: 'To the minute' }),
  endsAt: Type.String({ description: 'When it ends if it is not used any more' }),
  expiresAt: Type.String({ description: 'When it ends however much it is used' }),
  device: orNull(Type.String(), 'What the browser or the program called itself'),
  address: orNull(Type.String(), 'Where it began'),
  factor: Type.Enum([...SIGN_IN_FACTORS], {
    description: 'What was shown last; `openid` stays',
  }),
  isCurrent: Type.Boolean({ description: 'Whether this call uses it' }),
})
export type AdminSession = Static<typeof AdminSession>

export const SECOND_FACTOR_KINDS = ['totp', 'passkey'] as const
export const SecondFactor = Type.Object({
  id: Type.Integer(),
  kind: Type.Enum([...SECOND_FACTOR_KINDS]),
  name: Type.String(),
  createdAt: Timestamp,
  lastUsedAt: orNull(Timestamp, 'Null: never'),
})
export type SecondFactor = Static<typeof SecondFactor>

export const Account = Type.Object({
  id: Type.Integer(),
  email: Type.String(),
  role: AdminRole,
  createdAt: Timestamp,
  factors: Type.Array(SecondFactor, { description: 'Second factors, oldest first' }),
  recoveryCodesLeft: Type.Integer(),
  hasPassword: Type.Boolean({ description: 'Whether you can sign in with a password' }),
  provider: orNull(
    Type.String(),
    'The OpenID Connect provider that gives you your role; null: an admin does, here',
  ),
  session: AdminSession,
  confirmedUntil: orNull(
    Timestamp,
    'Until then what must be confirmed needs no factor again; null: it does now',
  ),
})
export type Account = Static<typeof Account>

const sampleSession: AdminSession = {
  id: '3f0c1f1e-54a3-4dbe-9d53-6f5f4c1d7a10',
  createdAt: '2026-03-05T14:30:22.000Z',
  lastUsedAt: '2026-03-05T14:41:00.000Z',
  endsAt: '2026-03-05T15:41:00.000Z',
  expiresAt: '2026-03-05T22:30:22.000Z',
  device: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  address: '203.0.113.7',
  factor: 'password',
  isCurrent: true,
}

export const getAccount = endpoint({
  id: 'getAccount',
  method: 'GET',
  path: '/api/admin/account',
  tag: 'Administrators',
  summary: 'Your own account',
  access: 'admin',
  anywhere: true,
  isOwnAccount: true,
  response: Account,
  sample: {
    response: {
      id: 1,
      email: 'ada@example.com',
      role: 'admin',
      createdAt: '2026-01-02T09:00:00.000Z',
      factors: [],
      recoveryCodesLeft: 0,
      hasPassword: true,
      provider: null,
      session: sampleSession,
      confirmedUntil: '2026-03-05T14:35:22.000Z',
    },
  },
})

export const NewPassword = Type.String({
  minLength: 1,
  maxLength: PASSWORD_LENGTH_MAX,
  description: `At least ${NEW_PASSWORD_LENGTH_MIN} characters; not the e-mail address, and no common password`,
})

export const changePassword = endpoint({
  id: 'changePassword',
  method: 'PUT',
  path: '/api/admin/account/password',
  tag: 'Administrators',
  summary: 'Change your password',
  notes: [
    'Your other sessions end at once.',
    'Who has none, because the provider signs them in, gets 409 `NO_PASSWORD`.',
    'A password that is too short gets 400 `PASSWORD_TOO_SHORT`, one that others guess first 400 `PASSWORD_TOO_COMMON`.',
  ],
  access: 'admin',
  isOwnAccount: true,
  role: 'viewer',
  confirm: 'always',
  body: Type.Object({ newPassword: NewPassword }, { additionalProperties: false }),
  response: Type.Object({
    endedSessions: Type.Integer({ description: 'How many other sessions ended' }),
  }),
  sample: {
    body: { newPassword: 'a new horse battery staple' },
    response: { endedSessions: 1 },
  },
})

export const listOwnSessions = endpoint({
  id: 'listOwnSessions',
  method: 'GET',
  path: '/api/admin/account/sessions',
  tag: 'Administrators',
  summary: 'Your sessions that are valid, the one that was used last first',
  access: 'admin',
  anywhere: true,
  isOwnAccount: true,
  response: Type.Array(AdminSession),
  sample: { response: [sampleSession] },
})

export const endOwnSession = endpoint({
  id: 'endOwnSession',
  method: 'DELETE',
  path: '/api/admin/account/sessions/{id}',
  tag: 'Administrators',
  summary: 'End one of your sessions at once',
  access: 'admin',
  isOwnAccount: true,
  role: 'viewer',
  params: Type.Object({
    id: Type.String({ minLength: 1, maxLength: 64, description: 'From the list of your sessions' }),
  }),
  status: 204,
  sample: { params: { id: '3f0c1f1e-54a3-4dbe-9d53-6f5f4c1d7a10' } },
})
