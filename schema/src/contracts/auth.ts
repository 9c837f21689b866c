import Type, { type Static } from 'typebox'
import { PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN, TOKEN_TTL_SECONDS } from '../constants.ts'
import { endpoint, ROLES } from '../endpoint.ts'
import { ClientId, Timestamp } from './common.ts'
import { OpenIdProof } from './openid-proof.ts'
import { PasskeyAssertion, PasskeyRequest } from './passkeys.ts'

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
    '`viewer`: reads everything but secrets. `operator`: also stops, drops, tests keys and tightens the state of limits. `admin`: everything',
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
    'Where the operator has switched passwords off (PASSWORD_SIGN_IN), it answers 403 `PASSWORD_SIGN_IN_OFF`.',
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

/** What a person can show to prove who they are. */
export const FACTORS = ['password', 'totp', 'passkey', 'recovery-code', 'openid'] as const
export const Factor = Type.Enum([...FACTORS])
export type Factor = Static<typeof Factor>

/** What second factors show: one of these. */
const shown = {
  totp: Type.Optional(
    Type.String({
      pattern: '^[0-9]{6}$',
      maxLength: 6,
      description: 'The six digits that your authenticator app shows now',
      'x-error': 'must be six digits',
    }),
  ),
  recoveryCode: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'One of your recovery codes; each works once',
    }),
  ),
  passkey: Type.Optional(PasskeyAssertion),
}

/** With `SECOND_FACTOR_NEEDED`: what the second step of signing in needs. */
export const SignInNeeded = Type.Object(
  {
    id: Type.String({ description: 'The `signInId` of the second step' }),
    expiresAt: Timestamp,
    factors: Type.Array(Factor, { description: 'What you can show' }),
    passkey: Type.Optional(PasskeyRequest),
  },
  { description: 'On `SECOND_FACTOR_NEEDED`: the sign-in that waits for the second factor' },
)
export type SignInNeeded = Static<typeof SignInNeeded>

export const SecondFactorRequest = Type.Object(
  {
    signInId: Type.String({
      minLength: 1,
      maxLength: 64,
      description: '`signIn.id` of the response of `POST /auth/login`',
    }),
    ...shown,
  },
  {
    additionalProperties: false,
    minProperties: 2,
    maxProperties: 2,
    'x-error': 'must have signInId and one of totp, recoveryCode and passkey',
  },
)
export type SecondFactorRequest = Static<typeof SecondFactorRequest>

export const secondFactor = endpoint({
  id: 'secondFactor',
  method: 'POST',
  path: '/auth/second-factor',
  tag: 'Authentication',
  summary: 'Sign in, second step: show a second factor',
  notes: [
    'A sign-in waits for five minutes and has five tries. A wrong one answers 401 `SECOND_FACTOR_FAILED` with `triesLeft`; afterwards it is 401 `SIGN_IN_EXPIRED`: begin with the password again.',
    'Each code works once. After ten wrong codes of an account in a quarter of an hour, codes answer 429 `TOO_MANY_ATTEMPTS`; passkeys still work.',
  ],
  access: 'public',
  body: SecondFactorRequest,
  response: login.response,
  sample: {
    body: { signInId: '3f0c1f1e-54a3-4dbe-9d53-6f5f4c1d7a10', totp: '287082' },
    response: login.sample.response,
  },
})

export const ConfirmRequest = Type.Object(
  {
    password: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: PASSWORD_LENGTH_MAX,
        description: 'Your password; enough only while you have no second factor',
      }),
    ),
    ...shown,
    openid: Type.Optional(OpenIdProof),
  },
  { additionalProperties: false, minProperties: 1, maxProperties: 1 },
)
export type ConfirmRequest = Static<typeof ConfirmRequest>

export const confirm = endpoint({
  id: 'confirm',
  method: 'POST',
  path: '/auth/confirm',
  tag: 'Authentication',
  summary: 'Show a factor again, for what must be confirmed',
  description:
    'Some calls need a factor that was shown in the last five minutes; signing in shows one. Later they answer 403 `FRESH_FACTOR_NEEDED`, with the `factors` that you can show. Call this endpoint with one of them, then repeat the call.',
  notes: [
    'Who has a second factor must show it: the password alone is not enough then.',
    'A wrong one answers 403 `CONFIRM_FAILED`; after ten attempts a minute 429 `TOO_MANY_ATTEMPTS`.',
    'For `openid`, open `GET /auth/openid` with `purpose=confirm` in a window, and send what the page that it ends at has in its fragment. It must be the same person, who signed in at the provider in the last five minutes.',
    'For a passkey, get what it has to sign from `POST /auth/confirm/passkey` first.',
  ],
  access: 'admin',
  isOwnAccount: true,
  role: 'viewer',
  body: ConfirmRequest,
  response: Type.Object({
    factor: Factor,
    confirmedUntil: Timestamp,
  }),
  sample: {
    body: { password: 'correct horse battery staple' },
    response: { factor: 'password', confirmedUntil: '2026-03-05T14:35:22.000Z' },
  },
})

export const confirmPasskey = endpoint({
  id: 'confirmPasskey',
  method: 'POST',
  path: '/auth/confirm/passkey',
  tag: 'Authentication',
  summary: 'Get what a passkey has to sign for `POST /auth/confirm`',
  notes: [
    'It is for one try in the next five minutes. Where you have no passkey for the page, it answers 400 `PASSKEY_ORIGIN`.',
  ],
  access: 'admin',
  isOwnAccount: true,
  role: 'viewer',
  response: PasskeyRequest,
  sample: { response: { challenge: 'q7…', rpId: 'console.example.com' } },
})

export const TokenRequest = Type.Object(
  {
    clientId: ClientId,
    clientSecret: Type.String({
      minLength: 1,
      maxLength: 256,
      description: 'The secret shown once when the client credential was created',
    }),
    expiresIn: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 86_400,
        description: `Requested lifetime in seconds; anything above ${TOKEN_TTL_SECONDS} gives ${TOKEN_TTL_SECONDS}`,
      }),
    ),
  },
  { additionalProperties: false },
)
export type TokenRequest = Static<typeof TokenRequest>

export const getToken = endpoint({
  id: 'getToken',
  method: 'POST',
  path: '/auth/token',
  tag: 'Authentication',
  summary: 'Exchange client id and secret for a bearer token',
  notes: [
    `A token is valid for at most ${TOKEN_TTL_SECONDS} seconds. Get the next one before it expires; several can be valid at once.`,
    'Inactive clients get no token, and their existing tokens stop working immediately.',
    "The token carries the client's permissions; a removed permission stops working immediately.",
  ],
  access: 'public',
  body: TokenRequest,
  response: Type.Object({
    token: Type.String({ description: 'Send it as `Authorization: Bearer <token>`' }),
    expiresAt: Timestamp,
    expiresInSeconds: Type.Integer(),
  }),
  sample: {
    body: { clientId: 'client_1772721022000_k3v9x2m4q', clientSecret: 'sls_…', expiresIn: 3600 },
    response: {
      token: 'eyJhbGciOiJIUzI1NiIsInR5cCI6ImF0K2p3dCJ9.…',
      expiresAt: '2026-03-05T14:40:22.000Z',
      expiresInSeconds: TOKEN_TTL_SECONDS,
    },
  },
})

export const oauthToken = endpoint({
  id: 'oauthToken',
  method: 'POST',
  path: '/oauth/token',
  tag: 'Authentication',
  summary: 'The same token for standard OAuth 2.0 clients',
  description:
    'RFC 6749, section 4.4 (client credentials). Authenticate with HTTP Basic or with `client_id` and `client_secret` in the form. Errors follow section 5.2 and also have the fields of every other error.',
  access: 'public',
  bodyType: 'application/x-www-form-urlencoded',
  body: Type.Object(
    {
      grant_type: Type.Optional(Type.String({ description: '`client_credentials`' })),
      client_id: Type.Optional(Type.String({ maxLength: 128 })),
      client_secret: Type.Optional(Type.String({ maxLength: 256 })),
      scope: Type.Optional(
        Type.String({
          description:
            'Any of `market`, `account`, `trade`; if absent, all that the client has. Asking for more gives `invalid_scope`',
        }),
      ),
    },
    // RFC 6749, 3.2: unrecognised parameters are ignored.
    { additionalProperties: true },
  ),
  response: Type.Object({
    access_token: Type.String(),
    token_type: Type.String({ description: '`Bearer`' }),
    expires_in: Type.Integer({ description: 'Seconds' }),
    scope: Type.String({ description: 'The permissions of the token, separated by spaces' }),
  }),
  sample: {
    body: {
      grant_type: 'client_credentials',
      client_id: 'client_1772721022000_k3v9x2m4q',
      client_secret: 'sls_…',
    },
    response: {
      access_token: 'eyJ…',
      token_type: 'Bearer',
      expires_in: TOKEN_TTL_SECONDS,
      scope: 'market account trade',
    },
  },
})
