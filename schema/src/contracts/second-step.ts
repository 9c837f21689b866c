import Type, { type Static } from 'typebox'
import { PASSWORD_LENGTH_MAX } from '../constants.ts'
import { endpoint } from '../endpoint.ts'
import { login } from './auth.ts'
import { Timestamp } from './common.ts'
import { OpenIdProof } from './openid-proof.ts'
import { PasskeyAssertion, PasskeyRequest } from './passkeys.ts'

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
  summary: 'Sign in, second step: send a second factor',
  notes: [
    'A sign-in waits for five minutes and has five tries. A wrong one gets 401 `SECOND_FACTOR_FAILED` with `triesLeft`; afterwards it is 401 `SIGN_IN_EXPIRED`: begin with the password again.',
    'Each code works once. After ten wrong codes of an account in a quarter of an hour, codes get 429 `TOO_MANY_ATTEMPTS`; passkeys still work.',
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
  summary: 'Send a factor again, for what must be confirmed',
  description:
    'Some calls need a factor that was shown in the last five minutes; signing in shows one. Later they get 403 `FRESH_FACTOR_NEEDED`, with the `factors` that you can show. Call this endpoint with one of them, then repeat the call.',
  notes: [
    'Who has a second factor must show it: the password alone is not enough then.',
    'A wrong one gets 403 `CONFIRM_FAILED`; after ten attempts a minute 429 `TOO_MANY_ATTEMPTS`.',
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
    'It is for one try in the next five minutes. Where you have no passkey for the page, it gets 400 `PASSKEY_ORIGIN`.',
  ],
  access: 'admin',
  isOwnAccount: true,
  role: 'viewer',
  response: PasskeyRequest,
  sample: { response: { challenge: 'q7…', rpId: 'console.example.com' } },
})
