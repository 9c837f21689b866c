import Type, { type Static } from 'typebox'
import { PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from '../constants.ts'
import { endpoint, ROLES } from '../endpoint.ts'
import { Timestamp } from './common.ts'

export const LoginRequest = Type.Object(
  {
    email: Type.String({
      format: 'email',
      maxLength: 254,
      description: "The administrator's e-mail address",
      'x-error': 'Invalid email address',
    }),
    password: Type.String({
      minLength: PASSWORD_LENGTH_MIN,
      maxLength: PASSWORD_LENGTH_MAX,
      description: `At least ${PASSWORD_LENGTH_MIN} characters`,
      'x-error': 'Password must be at least 6 characters',
    }),
  },
  { additionalProperties: false },
)
export type LoginRequest = Static<typeof LoginRequest>

export const AdminRole = Type.Enum([...ROLES], {
  description:
    '`viewer`: reads everything except secrets. `operator`: also stops, drops, tests keys and tightens the state of limits. `admin`: everything',
})

export const User = Type.Object({ id: Type.Integer(), email: Type.String(), role: AdminRole })
export type User = Static<typeof User>

export const login = endpoint({
  id: 'login',
  method: 'POST',
  path: '/auth/login',
  tag: 'Authentication',
  summary: 'Sign in as an administrator',
  notes: [
    'The token is valid on the admin routes, and on no proxy route, until `expiresAt` (8 hours unless SESSION_HOURS says otherwise).',
    'A session that is not used for an hour (SESSION_IDLE_MINUTES) ends before. Every call uses it; the token stays the same.',
    'Where the operator has switched passwords off (PASSWORD_SIGN_IN), it gets 403 `PASSWORD_SIGN_IN_OFF`.',
    'Who has a second factor gets 401 `SECOND_FACTOR_NEEDED` with `signIn`: show the factor at `POST /auth/second-factor`.',
  ],
  access: 'public',
  body: LoginRequest,
  response: Type.Object({ token: Type.String(), expiresAt: Timestamp, user: User }),
  sample: {
    body: { email: 'admin@example.com', password: 'correct horse battery staple' },
    response: {
      token: 'eyJhbGciOiJIUzI1NiIsInR5cCI6ImFkbWluK2p3dCJ9.…',
      expiresAt: '2026-03-05T22:30:22.000Z',
      user: { id: 1, email: 'admin@example.com', role: 'admin' },
    },
  },
})

export const logout = endpoint({
  id: 'logout',
  method: 'POST',
  path: '/auth/logout',
  tag: 'Authentication',
  summary: 'Sign out: revoke this token',
  access: 'admin',
  isOwnAccount: true,
  role: 'viewer',
  status: 204,
})
