import Type, { type Static } from 'typebox'
import { TOKEN_TTL_SECONDS } from '../constants.ts'
import { endpoint } from '../endpoint.ts'
import { ClientId, Timestamp } from './common.ts'

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

export const Token = Type.Object({
  token: Type.String({ description: 'Send it as `Authorization: Bearer <token>`' }),
  expiresAt: Timestamp,
  expiresInSeconds: Type.Integer(),
})
export type Token = Static<typeof Token>

export const getToken = endpoint({
  id: 'getToken',
  method: 'POST',
  path: '/auth/token',
  tag: 'Token',
  summary: 'Exchange client id and secret for a bearer token',
  notes: [
    `A token is valid for at most ${TOKEN_TTL_SECONDS} seconds. Get the next one before it expires; several can be valid at once.`,
    'Inactive clients get no token, and their existing tokens stop working immediately.',
    "The token carries the client's permissions; a removed permission stops working immediately.",
  ],
  access: 'public',
  body: TokenRequest,
  response: Token,
  sample: {
    body: { clientId: 'client_1772721022000_k3v9x2m4q', clientSecret: 'sls_…', expiresIn: 3600 },
    response: {
      token: 'eyJhbGciOiJIUzI1NiIsInR5cCI6ImF0K2p3dCJ9.…',
      expiresAt: '2026-03-05T14:40:22.000Z',
      expiresInSeconds: TOKEN_TTL_SECONDS,
    },
  },
})

export const oauthMetadata = endpoint({
  id: 'oauthMetadata',
  method: 'GET',
  path: '/.well-known/oauth-authorization-server',
  tag: 'Token',
  summary: 'Where and how OAuth 2.0 clients get a token',
  description:
    'RFC 8414. The addresses begin as the caller reached the gateway: behind a proxy that `TRUST_PROXY` names, with the host and protocol that it forwards.',
  access: 'public',
  anywhere: true,
  response: Type.Object({
    issuer: Type.String(),
    token_endpoint: Type.String(),
    grant_types_supported: Type.Array(Type.String()),
    token_endpoint_auth_methods_supported: Type.Array(Type.String()),
    scopes_supported: Type.Array(Type.String()),
    response_types_supported: Type.Array(Type.String(), {
      description: 'None: there is no authorization endpoint',
    }),
  }),
  sample: {
    response: {
      issuer: 'https://api.example.com',
      token_endpoint: 'https://api.example.com/oauth/token',
      grant_types_supported: ['client_credentials'],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
      scopes_supported: ['market', 'account', 'trade', 'settings', 'strategies'],
      response_types_supported: [],
    },
  },
})

export const oauthToken = endpoint({
  id: 'oauthToken',
  method: 'POST',
  path: '/oauth/token',
  tag: 'Token',
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
