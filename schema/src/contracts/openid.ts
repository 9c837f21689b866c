import Type from 'typebox'
import { endpoint } from '../endpoint.ts'
import { login } from './auth.ts'
import { BYTES_32, OpenIdProof } from './openid-proof.ts'

const SAMPLE_BYTES = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'

export const OPENID_PURPOSES = ['sign-in', 'confirm'] as const

export const beginOpenId = endpoint({
  id: 'beginOpenId',
  method: 'GET',
  path: '/auth/openid',
  tag: 'Authentication',
  summary: 'Sign in at the OpenID Connect provider: a page of the console goes here',
  description:
    'Redirects to the provider, which sends the browser to `/auth/openid/callback`. That redirects to `/openid` of the console, with a one-time code in the fragment, or with `error` and its code.',
  notes: [
    'For browsers, not for programs. Every response to a valid request is a redirect.',
    'Only the page that made `challenge` can use the code: it keeps the verifier.',
  ],
  access: 'public',
  query: Type.Object(
    {
      challenge: Type.String({
        ...BYTES_32,
        description:
          'SHA-256, as base64url, of the verifier: 32 random bytes as base64url, which the page keeps',
      }),
      origin: Type.Optional(
        Type.String({
          maxLength: 300,
          description:
            'The console that the browser returns to: an origin in CONSOLE_ORIGIN; by default the first',
        }),
      ),
      purpose: Type.Optional(
        Type.Enum([...OPENID_PURPOSES], {
          description:
            '`confirm`: for `POST /auth/confirm`. The gateway asks the provider to show its sign-in page again',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  status: 302,
  sample: { query: { challenge: SAMPLE_BYTES } },
})

export const openIdCallback = endpoint({
  id: 'openIdCallback',
  method: 'GET',
  path: '/auth/openid/callback',
  tag: 'Authentication',
  summary: 'Where the provider sends the browser back to; register it there as the redirect URI',
  access: 'public',
  // Providers add parameters of their own.
  query: Type.Object({}, { additionalProperties: true }),
  status: 302,
})

export const openIdSession = endpoint({
  id: 'openIdSession',
  method: 'POST',
  path: '/auth/openid/session',
  tag: 'Authentication',
  summary: "Sign in with the one-time code that the provider's sign-in ended with",
  notes: [
    'The role is the one that the provider states. The first sign-in creates the person; when the e-mail address has an account already, the provider must say that it is verified.',
    'A code works once, for 60 seconds and with the right verifier: otherwise 401 `OPENID_EXPIRED`.',
    'Refused with 403: `OPENID_NO_ROLE`, `OPENID_DISABLED`, `OPENID_EMAIL_MISSING`, `OPENID_EMAIL_TAKEN`.',
  ],
  access: 'public',
  body: OpenIdProof,
  response: login.response,
  sample: {
    body: { code: SAMPLE_BYTES, verifier: SAMPLE_BYTES },
    response: login.sample.response,
  },
})
