import Type, { type Static } from 'typebox'

/** 32 bytes as base64url: what a page keeps, and its SHA-256. */
export const bytes32 = (description: string) =>
  Type.String({
    pattern: '^[A-Za-z0-9_-]{43}$',
    maxLength: 43,
    description,
    'x-error': 'must be 32 bytes in base64url',
  })

/** What the page that began shows at the end. */
export const OpenIdProof = Type.Object(
  {
    code: bytes32('The one-time code in the fragment of the page, good for 60 seconds'),
    verifier: bytes32('The random bytes that `challenge` is the SHA-256 of'),
  },
  { additionalProperties: false },
)
export type OpenIdProof = Static<typeof OpenIdProof>
