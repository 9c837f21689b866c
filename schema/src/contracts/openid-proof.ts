import Type, { type Static } from 'typebox'

/** 32 bytes as base64url: what a page keeps, and its SHA-256. */
export const BYTES_32 = {
  pattern: '^[A-Za-z0-9_-]{43}$',
  maxLength: 43,
  'x-error': 'must be 32 bytes in base64url',
} as const

/** What the page that began shows at the end. */
export const OpenIdProof = Type.Object(
  {
    code: Type.String({
      ...BYTES_32,
      description: 'The one-time code in the fragment of the page, valid for 60 seconds',
    }),
    verifier: Type.String({
      ...BYTES_32,
      description: 'The random bytes that `challenge` is the SHA-256 of',
    }),
  },
  { additionalProperties: false },
)
export type OpenIdProof = Static<typeof OpenIdProof>
