import Type, { type Static } from 'typebox'

/** Bytes as browsers put them into JSON; a page may send more fields than are read. */
const bytes = (maxLength: number, description?: string) =>
  Type.String({
    pattern: '^[A-Za-z0-9_-]*$',
    maxLength,
    ...(description === undefined ? {} : { description }),
    'x-error': 'must be base64url',
  })

const CREDENTIAL_ID_MAX = 1400
const common = {
  id: bytes(CREDENTIAL_ID_MAX, 'The id of the passkey'),
  rawId: bytes(CREDENTIAL_ID_MAX),
  type: Type.Literal('public-key'),
}
const open = { additionalProperties: true }

export const PasskeyAssertion = Type.Object(
  {
    ...common,
    response: Type.Object(
      {
        clientDataJSON: bytes(4096),
        authenticatorData: bytes(4096),
        signature: bytes(2048),
      },
      open,
    ),
  },
  {
    ...open,
    description: 'What `navigator.credentials.get()` gave, as its `toJSON()` writes it',
    'x-error': 'must be the JSON form of what navigator.credentials.get() gave',
  },
)
export type PasskeyAssertion = Static<typeof PasskeyAssertion>

export const PasskeyRegistration = Type.Object(
  {
    ...common,
    response: Type.Object(
      {
        clientDataJSON: bytes(4096),
        attestationObject: bytes(8192),
        transports: Type.Optional(
          Type.Array(Type.String({ pattern: '^[a-z-]*$', maxLength: 32 }), { maxItems: 10 }),
        ),
      },
      open,
    ),
  },
  {
    ...open,
    description: 'What `navigator.credentials.create()` gave, as its `toJSON()` writes it',
    'x-error': 'must be the JSON form of what navigator.credentials.create() gave',
  },
)
export type PasskeyRegistration = Static<typeof PasskeyRegistration>

export const PasskeyRequest = Type.Record(Type.String(), Type.Unknown(), {
  description:
    'For `navigator.credentials.get()`: give it to `PublicKeyCredential.parseRequestOptionsFromJSON`',
})
export const PasskeyCreation = Type.Record(Type.String(), Type.Unknown(), {
  description:
    'For `navigator.credentials.create()`: give it to `PublicKeyCredential.parseCreationOptionsFromJSON`',
})
