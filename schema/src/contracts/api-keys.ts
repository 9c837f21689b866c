import Type, { type Static } from 'typebox'
import { NOTE_LENGTH_MAX } from '../constants.ts'
import { endpoint } from '../endpoint.ts'
import { ClientId, Exchange, Timestamp } from './common.ts'

const PRINTABLE = '^[\\x21-\\x7e]+$'

/**
 * The two kinds of Bitget account, whose private calls differ (docs/exchanges/bitget-unified.md,
 * 1).
 */
export const ACCOUNT_KINDS = ['classic', 'unified'] as const
export type AccountKind = (typeof ACCOUNT_KINDS)[number]

const accountKind = Type.Union([Type.Enum([...ACCOUNT_KINDS]), Type.Null()], {
  description:
    'Bitget only: the kind of the account, as the exchange last showed it; null while that is unknown',
})

const canWithdraw = Type.Union([Type.Boolean(), Type.Null()], {
  description:
    'Whether the key may withdraw funds, as the exchange last reported it; null while that is not known',
})

const expiresAt = Type.Union([Timestamp, Type.Null()], {
  description:
    'When the key expires; null when it does not, or when the exchange does not report it. MEXC reports whole days',
})

export const ApiKey = Type.Object({
  clientId: Type.String(),
  exchange: Exchange,
  note: Type.Union([Type.String(), Type.Null()]),
  testStatus: Type.Enum(['untested', 'success', 'failure'], {
    description: 'Result of the last test since the keys were saved',
  }),
  testMessage: Type.Union([Type.String(), Type.Null()]),
  testedAt: Type.Union([Timestamp, Type.Null()]),
  hasApiKey: Type.Boolean(),
  hasApiSecret: Type.Boolean(),
  hasPassphrase: Type.Boolean(),
  isReadable: Type.Boolean({
    description: "False when the gateway's master key cannot open these keys: save them again",
  }),
  expiresAt,
  accountKind,
  canWithdraw,
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
  expiresAt: null,
  accountKind: 'unified',
  canWithdraw: false,
  createdAt: '2026-03-05T14:30:22.000Z',
}

export const listApiKeys = endpoint({
  id: 'listApiKeys',
  method: 'GET',
  path: '/api/admin/api-keys',
  tag: 'API keys',
  summary: 'List the stored exchange keys, without their values',
  access: 'admin',
  anywhere: true,
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
      pattern: PRINTABLE,
      description:
        "Allow reading and trading, on a unified account of Bitget also its settings (`uta_mgt`), never withdrawal, and bind the key to the gateway's IP address",
      'x-error': 'API Key is required',
    }),
    apiSecret: Type.String({
      minLength: 1,
      maxLength: 256,
      pattern: PRINTABLE,
      description: 'Encrypted with the master key; never shown again',
      'x-error': 'API Secret is required',
    }),
    passphrase: Type.Optional(
      Type.String({
        maxLength: 128,
        pattern: '^[\\x20-\\x7e]*$',
        description: 'Bitget only: the passphrase chosen when the key was created',
      }),
    ),
    note: Type.Optional(
      Type.String({
        maxLength: NOTE_LENGTH_MAX,
        description: `At most ${NOTE_LENGTH_MAX} characters`,
        'x-error': 'Note must be 50 characters or less',
      }),
    ),
    allowWithdrawal: Type.Optional(
      Type.Boolean({ description: 'Store the key even if it may withdraw funds' }),
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
    'Replaces the keys that the client already has for this exchange; the new ones count as untested.',
    'What the client has open stays its own, so that limits let it close that, only when the new keys are certainly of the same account: the exchange gives both the same account id, which MEXC does not, or the same API key is saved over the old one. After a delete, only the account ids are compared. `keepsOwnPositions` in the audit trail says so.',
    'Asks the exchange what the key may do, for at most 5 seconds. A key that may withdraw funds is refused with `KEY_CAN_WITHDRAW` unless `allowWithdrawal` is true. When the exchange does not say, rejects the key, is stopped or does not respond, the key is stored and `canWithdraw` is null; a test finds it out later.',
    'While the same API key is stored for several clients, a cancel of everything cancels the orders of the client that sends it, and what closes a whole position is rejected with `ACCOUNT_SHARED` while another of these clients has opened a position in that symbol, or may have: for that, each client needs a sub-account of its own.',
  ],
  access: 'admin',
  confirm: 'second-factor',
  approval: 'always',
  body: NewApiKey,
  status: 201,
  response: ApiKey,
  sample: {
    body: {
      clientId: 'client_1772721022000_k3v9x2m4q',
      exchange: 'bg',
      apiKey: 'bg_...',
      apiSecret: '...',
      passphrase: '...',
      note: 'main account',
    },
    response: {
      ...sampleKey,
      ...{ testStatus: 'untested', testedAt: null, accountKind: null },
    },
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
  message: Type.String({ description: 'What the exchange replied, and what to check next' }),
  warnings: Type.Array(Type.String(), {
    description:
      'The keys work, but something should be fixed: withdrawal allowed, no IP binding, wrong clock',
  }),
  permissions: Type.Array(Type.String(), { description: "In the exchange's own terms" }),
  canWithdraw,
  ipBinding: Type.Union([Type.Array(Type.String()), Type.Null()], {
    description:
      'IP addresses that the key is bound to; null when the exchange does not report them',
  }),
  expiresAt,
  accountKind,
  clockOffsetMs: Type.Union([Type.Integer(), Type.Null()], {
    description: "The exchange's clock minus the gateway's",
  }),
})
export type TestResult = Static<typeof TestResult>

export const testApiKey = endpoint({
  id: 'testApiKey',
  method: 'POST',
  path: '/api/admin/test-credentials',
  tag: 'API keys',
  summary: 'Test at the exchange whether the keys work',
  notes: ["The test waits in the exchange's queue like any other request."],
  access: 'admin',
  role: 'operator',
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
      permissions: ['uta_trade', 'uta_mgt'],
      canWithdraw: false,
      ipBinding: ['203.0.113.7'],
      expiresAt: null,
      accountKind: 'unified',
      clockOffsetMs: 12,
    },
  },
})
