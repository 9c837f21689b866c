import Type, { type Static } from 'typebox'
import { endpoint } from '../endpoint.ts'
import type { RawErrorCode } from '../error-codes.ts'
import { Timestamp } from './common.ts'

const orNone = <T extends Type.TSchema>(schema: T, error: string) =>
  Type.Union([schema, Type.Null()], { 'x-error': `must be ${error}, or null for no limit` })

const Usdt = (description: string) =>
  orNone(
    Type.String({
      pattern: '^(?=.*[1-9])[0-9]{1,12}([.][0-9]{1,6})?$',
      maxLength: 19,
      description,
      examples: ['500'],
    }),
    'an amount of USDT above 0, as text with at most 6 decimals',
  )

const Count = (maximum: number, description: string) =>
  orNone(Type.Integer({ minimum: 1, maximum, description }), `a whole number from 1 to ${maximum}`)

/** Codes of requests that a limit refused. */
export const LIMIT_CODES = [
  'LIMIT_SYMBOL',
  'LIMIT_MARKET',
  'LIMIT_ORDER_VALUE',
  'LIMIT_DAY_VALUE',
  'LIMIT_OPEN_ORDERS',
  'LIMIT_ORDER_RATE',
  'LIMIT_LEVERAGE',
  'LIMIT_PRICE_COLLAR',
  'LIMIT_UNVALUED',
  'LIMIT_REDUCING',
  'LIMIT_HALTED',
  'CLIENT_EXPIRED',
  'ADDRESS_FORBIDDEN',
] as const satisfies readonly RawErrorCode[]
export type LimitCode = (typeof LIMIT_CODES)[number]

/**
 * A character of a symbol as the exchanges list them: `$ALTUSDT`, `龙虾USDT`, `币安人生_USDT`. Small
 * letters of ASCII are not among them, nor what a reader cannot see.
 */
const SYMBOL_CHARACTER =
  '(?:[A-Z0-9_$-]|(?![\\u0000-\\u007f]|\\p{Default_Ignorable_Code_Point})[\\p{L}\\p{M}\\p{Nd}])'

/** What a client may trade. Every limit is optional; `null` means no limit. */
const limits = {
  state: Type.Enum(['active', 'reducing', 'halted'], {
    description:
      '`active`: all that the other limits allow. `reducing`: only cancels and orders that provably reduce a position or sell what is there; `exits` says which of them pass the other limits. `halted`: only cancels, so the client cannot close what it opened',
  }),
  mode: Type.Enum(['enforce', 'shadow'], {
    description:
      '`shadow`: nothing is refused; the log and the metrics say what would have been refused',
  }),
  symbols: orNone(
    Type.Array(Type.String({ pattern: `^${SYMBOL_CHARACTER}{1,40}[*]?$|^[*]$`, maxLength: 41 }), {
      minItems: 1,
      maxItems: 100,
      uniqueItems: true,
      description:
        'Only these symbols, as the exchange spells them: `BTCUSDT`, `BTC_USDT`, `龙虾USDT`; `ETH*` is every symbol that begins with ETH',
    }),
    'a list of 1 to 100 symbols as the exchange spells them, a to z as capital letters, each once; a * at the end means any rest',
  ),
  markets: orNone(
    Type.Array(Type.Enum(['spot', 'futures']), {
      minItems: 1,
      uniqueItems: true,
      description: 'Only these markets',
    }),
    'a list of `spot`, `futures` or both',
  ),
  maxOrderValue: Usdt('The most that one order may be worth, USDT'),
  maxDayValue: Usdt('The most that all orders of any 24 hours may be worth together, USDT'),
  maxOpenOrders: Count(10_000, 'Working orders at one time'),
  maxOrdersPerMinute: Count(100_000, 'Orders in any 60 seconds; each order of a batch counts'),
  maxLeverage: Count(500, 'In orders and in leverage settings'),
  priceCollarPercent: orNone(
    Type.String({
      pattern: '^(?=.*[1-9])[0-9]{1,3}([.][0-9]{1,4})?$',
      maxLength: 8,
      description:
        'How far above the current price a buy, and below it a sell, may be priced, in percent',
      examples: ['5'],
    }),
    'a percentage above 0, as text with at most 4 decimals',
  ),
  manageForeign: Type.Boolean({
    description:
      'Whether the client may cancel and change orders that Sluice did not place, where its exchange key is stored for other clients too. Orders that another client placed it may never touch',
  }),
  expiresAt: orNone(
    Type.String({
      format: 'date-time',
      description: 'From then on the client gets no token, and its tokens are refused',
      maxLength: 40,
      examples: ['2027-01-01T00:00:00Z'],
    }),
    'a date and time with its time zone, such as 2027-01-01T00:00:00Z',
  ),
  allowedIps: orNone(
    Type.Array(Type.String({ maxLength: 49 }), {
      minItems: 1,
      maxItems: 100,
      uniqueItems: true,
      description: 'Only from these addresses or networks: `203.0.113.0/24`, `2001:db8::/32`',
      examples: [['203.0.113.0/24', '2001:db8::/32']],
    }),
    'a list of 1 to 100 addresses or networks, such as 203.0.113.0/24, each once',
  ),
  secretAsBearer: Type.Boolean({
    description:
      "Whether the bearer of a call on an exchange's own path may be `clientId:clientSecret` in place of a token, for a program that sends the same header for longer than a token is valid. Also in the mode `shadow`. On all other routes such a bearer is refused",
  }),
  repeatGuard: Type.Enum(['on', 'off'], {
    description:
      '`on`: while the outcome of an order is unknown, the same order without an Idempotency-Key and without a client order id from the bot is refused (`OUTCOME_PENDING`). `off`: it is sent',
  }),
  exits: Type.Enum(['own', 'any', 'limited'], {
    description:
      'Which orders that can only reduce pass the other limits. `own`: up to the quantity that the client itself opened through Sluice; what is beyond it is limited. `any`: all of them, so also what others opened may be closed. `limited`: none, so a limit may keep the client from closing its own position',
  }),
}

export const ClientLimits = Type.Object(limits, { additionalProperties: false })
export type ClientLimits = Static<typeof ClientLimits>

const optional = Object.fromEntries(
  Object.entries(limits).map(([name, schema]) => [name, Type.Optional(schema)]),
) as { [Name in keyof typeof limits]: Type.TOptional<(typeof limits)[Name]> }

export const NewClientLimits = Type.Object(optional, { additionalProperties: false })
export type NewClientLimits = Static<typeof NewClientLimits>

export const ClientLimitChanges = Type.Object(optional, {
  additionalProperties: false,
  minProperties: 1,
})
export type ClientLimitChanges = Static<typeof ClientLimitChanges>

/** The limits of a client for which none were set. */
export const NO_LIMITS: ClientLimits = {
  state: 'active',
  mode: 'enforce',
  symbols: null,
  markets: null,
  maxOrderValue: null,
  maxDayValue: null,
  maxOpenOrders: null,
  maxOrdersPerMinute: null,
  maxLeverage: null,
  priceCollarPercent: null,
  manageForeign: false,
  expiresAt: null,
  allowedIps: null,
  secretAsBearer: false,
  repeatGuard: 'on',
  exits: 'own',
}

export const LimitUsage = Type.Object({
  dayValue: Type.String({
    description:
      'What the orders of the last 24 hours are worth together, USDT; also of a client without limits',
  }),
  openOrders: Type.Integer({
    description:
      'Working orders, as far as the gateway knows: an order counts until it is found ended',
  }),
  openOrdersReadAt: Type.Union([Timestamp, Type.Null()], {
    description:
      'When the lists of open orders at the exchanges were last compared with `openOrders`, at the exchange where that is longest ago. `null`: not since the gateway started, or no order counts',
  }),
  ordersLastMinute: Type.Integer({
    description:
      'Orders of the last 60 seconds that wait or were sent to an exchange, without those that `exits` lets pass: these have a minute of their own. One that was refused before it was sent does not count',
  }),
  wouldHaveRefused: Type.Integer({
    description:
      'Orders, changes and settings of the last 24 hours that limits in shadow mode would have refused; counted since the gateway started',
  }),
})
export type LimitUsage = Static<typeof LimitUsage>

export const LimitsWithUsage = Type.Object(
  {
    ...limits,
    stopped: Type.Union([Type.Object({ reason: Type.String(), at: Timestamp }), Type.Null()], {
      description: 'A stop that has not been resumed; the client is halted until then',
    }),
    usage: LimitUsage,
  },
  { title: 'Limits' },
)
export type LimitsWithUsage = Static<typeof LimitsWithUsage>

const ById = Type.Object({
  id: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'Database id' }),
})

const sampleLimits: ClientLimits = {
  ...NO_LIMITS,
  symbols: ['BTCUSDT', 'BTC_USDT', 'ETH*'],
  maxOrderValue: '500',
  maxDayValue: '2000',
  maxOpenOrders: 20,
  maxOrdersPerMinute: 30,
  maxLeverage: 5,
  priceCollarPercent: '5',
  expiresAt: '2027-01-01T00:00:00Z',
  allowedIps: ['203.0.113.0/24', '2001:db8::/32'],
}
const sample = {
  ...sampleLimits,
  stopped: null,
  usage: {
    ...{ dayValue: '412.5', openOrders: 3, openOrdersReadAt: '2026-03-05T14:30:22.000Z' },
    ...{ ordersLastMinute: 1, wouldHaveRefused: 0 },
  },
}
const NOTES = [
  'Values are in USDT, as text. Limits apply from the next request on, and once more just before an order is signed.',
  'docs/limits.md has a table of what is checked for which call.',
]

const FRESH_TO_LOOSEN =
  'When a limit allows more than before, you need a factor that you showed in the last five minutes: 403 `FRESH_FACTOR_NEEDED` otherwise.'

export const getClientLimits = endpoint({
  id: 'getClientLimits',
  method: 'GET',
  path: '/api/admin/client-credentials/{id}/limits',
  tag: 'Client credentials',
  summary: 'What a client may trade, and how much of it is used',
  notes: [
    'Reads the lists of open orders of the client, and what is missing for the value of its orders, in the background, at most once a minute: the next response has it.',
    ...NOTES,
  ],
  access: 'admin',
  params: ById,
  response: LimitsWithUsage,
  sample: { params: { id: '7' }, response: sample },
})

export const replaceClientLimits = endpoint({
  id: 'replaceClientLimits',
  method: 'PUT',
  path: '/api/admin/client-credentials/{id}/limits',
  tag: 'Client credentials',
  summary: 'Replace all limits of a client',
  notes: ['A limit that is absent is removed.', FRESH_TO_LOOSEN, ...NOTES],
  access: 'admin',
  confirm: 'to-loosen',
  approval: 'when a limit allows more than before',
  params: ById,
  body: NewClientLimits,
  response: LimitsWithUsage,
  sample: { params: { id: '7' }, body: sampleLimits, response: sample },
})

export const changeClientLimits = endpoint({
  id: 'changeClientLimits',
  method: 'PATCH',
  path: '/api/admin/client-credentials/{id}/limits',
  tag: 'Client credentials',
  summary: 'Change some limits of a client',
  notes: ['A limit that is absent stays; `null` removes one.', FRESH_TO_LOOSEN, ...NOTES],
  access: 'admin',
  role: 'operator',
  confirm: 'to-loosen',
  approval: 'when a limit allows more than before',
  params: ById,
  body: ClientLimitChanges,
  response: LimitsWithUsage,
  sample: {
    params: { id: '7' },
    body: { state: 'reducing' },
    response: { ...sample, state: 'reducing' },
  },
})

export const getOwnLimits = endpoint({
  id: 'getOwnLimits',
  method: 'GET',
  path: '/api/limits',
  tag: 'Requests and heartbeat',
  summary: 'What you may trade, and how much of it is used',
  notes: ['Costs no slot of an exchange.'],
  access: 'client',
  response: LimitsWithUsage,
  sample: { response: sample },
})
