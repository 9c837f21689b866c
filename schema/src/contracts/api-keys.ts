import Type, { type Static } from 'typebox'
import { NOTE_LENGTH_MAX } from '../constants.ts'
import { endpoint } from '../endpoint.ts'
import { ClientId, Exchange, Timestamp } from './common.ts'

const printable = '^[\\x21-\\x7e]+$'

export const ApiKey = Type.Object({
  clientId: Type.String(),
  exchange: Exchange,
  note: Type.Union([Type.String(), Type.Null()]),
  testStatus: Type.Enum(['untested', 'success', 'failure'], {
    description: 'Of the last test since the keys were saved',
  }),
  testMessage: Type.Union([Type.String(), Type.Null()]),
  testedAt: Type.Union([Timestamp, Type.Null()]),
  hasApiKey: Type.Boolean(),
  hasApiSecret: Type.Boolean(),
  hasPassphrase: Type.Boolean(),
  isReadable: Type.Boolean({
    description:
      'False when the master key of this gateway cannot open the row: save the keys anew',
  }),
  createdAt: Timestamp,
})
export type ApiKey = Static<typeof ApiKey>

const sampleKey = {
  clientId: 'client_1772721022000_k3v9x2m4q',
  exchange: 'bg',
  note: 'main account',
  testStatus: 'success',
  testMessage: null,
  testedAt: '2026-03-05T14:31:00.000Z',
  hasApiKey: true,
  hasApiSecret: true,
  hasPassphrase: true,
  isReadable: true,
  createdAt: '2026-03-05T14:30:22.000Z',
}

export const listApiKeys = endpoint({
  id: 'listApiKeys',
  method: 'GET',
  path: '/api/admin/api-keys',
  tag: 'API keys',
  summary: 'All stored exchange keys: flags, never values',
  access: 'admin',
  response: Type.Array(ApiKey),
  sample: { response: [sampleKey] },
})

export const NewApiKey = Type.Object(
  {
    clientId: ClientId,
    exchange: Exchange,
    apiKey: Type.String({
      minLength: 1,
      maxLength: 256,
      pattern: printable,
      description:
        'With reading and trading permission, never withdrawal; bound to the IP of this gateway',
      'x-error': 'API Key is required',
    }),
    apiSecret: Type.String({
      minLength: 1,
      maxLength: 256,
      pattern: printable,
      description: 'Sealed with the master key; never shown again',
      'x-error': 'API Secret is required',
    }),
    passphrase: Type.Optional(
      Type.String({
        maxLength: 128,
        pattern: '^[\\x20-\\x7e]*$',
        description: 'Bitget only: chosen when the key was made',
      }),
    ),
    note: Type.Optional(
      Type.String({
        maxLength: NOTE_LENGTH_MAX,
        description: `At most ${NOTE_LENGTH_MAX} characters`,
        'x-error': 'Note must be 50 characters or less',
      }),
    ),
  },
  { additionalProperties: false },
)
export type NewApiKey = Static<typeof NewApiKey>

export const saveApiKey = endpoint({
  id: 'saveApiKey',
  method: 'POST',
  path: '/api/admin/client-api-keys',
  tag: 'API keys',
  summary: "Store a client's keys for an exchange",
  notes: [
    'Keys that the client already has for this exchange are replaced, and count as untested.',
  ],
  access: 'admin',
  body: NewApiKey,
  status: 201,
  response: ApiKey,
  sample: {
    body: {
      clientId: 'client_1772721022000_k3v9x2m4q',
      exchange: 'bg',
      apiKey: 'bg_…',
      apiSecret: '…',
      passphrase: '…',
      note: 'main account',
    },
    response: { ...sampleKey, testStatus: 'untested', testedAt: null },
  },
})

export const deleteApiKey = endpoint({
  id: 'deleteApiKey',
  method: 'DELETE',
  path: '/api/admin/client-api-keys/{clientId}/{exchange}',
  tag: 'API keys',
  summary: "Delete a client's keys for an exchange",
  access: 'admin',
  params: Type.Object({ clientId: ClientId, exchange: Exchange }),
  status: 204,
  sample: { params: { clientId: 'client_1772721022000_k3v9x2m4q', exchange: 'bg' } },
})

export const TestResult = Type.Object({
  success: Type.Boolean(),
  clientId: Type.String(),
  exchange: Exchange,
  testStatus: Type.Enum(['success', 'failure']),
  message: Type.String({ description: 'What the exchange said, and what to check next' }),
  warnings: Type.Array(Type.String(), {
    description: 'Works, but is not as it should be: withdrawal allowed, no IP binding, clock off',
  }),
  permissions: Type.Array(Type.String(), { description: 'As the exchange names them' }),
  ipBinding: Type.Union([Type.Array(Type.String()), Type.Null()], {
    description: 'Addresses the key is bound to; null when the exchange does not tell',
  }),
  clockOffsetMs: Type.Union([Type.Integer(), Type.Null()], {
    description: "The exchange's clock minus ours",
  }),
})
export type TestResult = Static<typeof TestResult>

export const testApiKey = endpoint({
  id: 'testApiKey',
  method: 'POST',
  path: '/api/admin/test-credentials',
  tag: 'API keys',
  summary: 'Ask the exchange whether the keys work',
  notes: ['Takes its turn in the queue of the exchange like every other request.'],
  access: 'admin',
  body: Type.Object({ clientId: ClientId, exchange: Exchange }, { additionalProperties: false }),
  response: TestResult,
  sample: {
    body: { clientId: 'client_1772721022000_k3v9x2m4q', exchange: 'bg' },
    response: {
      success: true,
      clientId: 'client_1772721022000_k3v9x2m4q',
      exchange: 'bg',
      testStatus: 'success',
      message: 'Bitget accepted the keys.',
      warnings: [],
      permissions: ['trade', 'readonly'],
      ipBinding: ['203.0.113.7'],
      clockOffsetMs: 12,
    },
  },
})
