import Type, { type Static } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { SecondFactor } from './account.ts'
import { PasskeyCreation, PasskeyRegistration } from './passkeys.ts'

/** Of one person. */
export const SECOND_FACTORS_MAX = 10

const ById = Type.Object({
  id: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'Database id' }),
})
const FactorName = Type.String({
  minLength: 1,
  maxLength: 60,
  pattern: '\\S',
  description: 'What you call it, such as the device that it is on',
  'x-error': 'must be 1 to 60 characters',
})

export const EnrolledFactor = Type.Object({
  factor: SecondFactor,
  recoveryCodes: Type.Union([Type.Array(Type.String()), Type.Null()], {
    description:
      'With your first second factor: ten codes for the day when you have lost it, shown once. Null with a further one',
  }),
  endedSessions: Type.Integer({
    description: 'How many other sessions ended: with your first second factor all do',
  }),
})
export type EnrolledFactor = Static<typeof EnrolledFactor>

const own = {
  tag: 'Administrators',
  access: 'admin',
  role: 'viewer',
  confirm: 'always',
  isOwnAccount: true,
} as const

const sampleFactor: SecondFactor = {
  id: 3,
  kind: 'totp',
  name: 'Phone',
  createdAt: '2026-03-05T14:30:22.000Z',
  lastUsedAt: null,
}
const SAMPLE_CODES = ['k3v9x-2m4qa', 'bcdef-ghijk']

export const createTotp = endpoint({
  ...own,
  id: 'createTotp',
  method: 'POST',
  path: '/api/admin/account/totp',
  summary: 'Begin to add an authenticator app',
  description:
    'Put the secret into the app, as a QR code of `uri` or typed, then show a code of it to `POST /api/admin/account/totp/{id}/confirm` within an hour. Until then it counts for nothing.',
  body: Type.Object({ name: FactorName }, { additionalProperties: false }),
  status: 201,
  response: Type.Object({
    id: Type.Integer(),
    secret: Type.String({ description: 'Base32 (RFC 4648); shown once' }),
    uri: Type.String({ description: 'The same as an `otpauth` address, for a QR code' }),
  }),
  sample: {
    body: { name: 'Phone' },
    response: {
      id: 3,
      secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
      uri: 'otpauth://totp/Sluice:ada%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Sluice',
    },
  },
})

export const confirmTotp = endpoint({
  ...own,
  id: 'confirmTotp',
  method: 'POST',
  path: '/api/admin/account/totp/{id}/confirm',
  summary: 'Confirm an authenticator app with its first code',
  notes: ['A wrong code gets 403 `CONFIRM_FAILED`.'],
  params: ById,
  body: Type.Object(
    {
      code: Type.String({
        pattern: '^[0-9]{6}$',
        maxLength: 6,
        description: 'The six digits that the app shows now',
        'x-error': 'must be six digits',
      }),
    },
    { additionalProperties: false },
  ),
  response: EnrolledFactor,
  sample: {
    params: { id: '3' },
    body: { code: '287082' },
    response: { factor: sampleFactor, recoveryCodes: SAMPLE_CODES, endedSessions: 0 },
  },
})

export const passkeyOptions = endpoint({
  ...own,
  id: 'passkeyOptions',
  method: 'POST',
  path: '/api/admin/account/passkeys/options',
  summary: 'Begin to add a passkey',
  notes: [
    'Call it from a page of the console: a passkey is for the host name of the page. Elsewhere it gets 400 `PASSKEY_ORIGIN`.',
  ],
  response: PasskeyCreation,
  sample: {
    response: { challenge: 'q7…', rp: { id: 'console.example.com', name: 'Sluice' } },
  },
})

export const createPasskey = endpoint({
  ...own,
  id: 'createPasskey',
  method: 'POST',
  path: '/api/admin/account/passkeys',
  summary: 'Add the passkey that the browser has made',
  notes: [
    'A response that does not match the options of the last five minutes gets 400 `PASSKEY_REFUSED`.',
  ],
  body: Type.Object(
    { name: FactorName, response: PasskeyRegistration },
    { additionalProperties: false },
  ),
  status: 201,
  response: EnrolledFactor,
  sample: {
    body: {
      name: 'Security key',
      response: {
        id: 'AQID',
        rawId: 'AQID',
        type: 'public-key',
        response: { clientDataJSON: 'e30', attestationObject: 'oA' },
      },
    },
    response: {
      factor: { ...sampleFactor, kind: 'passkey', name: 'Security key' },
      recoveryCodes: null,
      endedSessions: 0,
    },
  },
})

export const renameFactor = endpoint({
  ...own,
  id: 'renameFactor',
  method: 'PATCH',
  path: '/api/admin/account/factors/{id}',
  summary: 'Give a second factor of yours another name',
  params: ById,
  body: Type.Object({ name: FactorName }, { additionalProperties: false }),
  response: SecondFactor,
  sample: { params: { id: '3' }, body: { name: 'Old phone' }, response: sampleFactor },
})

export const removeFactor = endpoint({
  ...own,
  id: 'removeFactor',
  method: 'DELETE',
  path: '/api/admin/account/factors/{id}',
  summary: 'Remove a second factor of yours',
  notes: ['With the last one your recovery codes go too, and the password is enough again.'],
  params: ById,
  status: 204,
  sample: { params: { id: '3' } },
})

export const createRecoveryCodes = endpoint({
  ...own,
  id: 'createRecoveryCodes',
  method: 'POST',
  path: '/api/admin/account/recovery-codes',
  summary: 'Get ten new recovery codes; the older ones end',
  notes: ['Without a second factor there is nothing to recover: 409 `NO_SECOND_FACTOR`.'],
  status: 201,
  response: Type.Object({
    recoveryCodes: Type.Array(Type.String(), { description: 'Shown once; each works once' }),
  }),
  sample: { response: { recoveryCodes: SAMPLE_CODES } },
})
