import { createHmac } from 'node:crypto'
import { type Account, secretsOf } from '../account.ts'
import { type ReceivedJson, readJson } from '../exact-numbers.ts'
import {
  decodedPairs,
  type ExchangeRequest,
  isAllowedAddress,
  isObject,
  isSameText,
  type ParamProblems,
  Params,
} from '../exchange-request.ts'
import type { Family } from '../family.ts'
import { OrderRejectedError, type RejectionReason } from '../order-shelf.ts'
import type { RateLimit } from '../rate-limits.ts'
import type { Venue } from '../venue.ts'

const RECV_WINDOW_MS = 5_000
const RECV_WINDOW_MAX_MS = 60_000
const AHEAD_MAX_MS = 1_000

/**
 * MEXC spot v3: bare responses, `{ code, msg }` for errors, all parameters signed in the order in
 * which they were sent.
 */
export const spotFamily: Family = {
  limitPerAddress: null,
  authenticate(venue, request, access) {
    const account = accountOf(venue, request)
    checkContentType(request)
    const params = spotFamily.readParams(request)
    checkTime(params, request.nowMs)
    const signature = params.required('signature')
    if (!isSignedBy(account, request, signature)) {
      throw new SpotRejection(700002, 'Signature for this request is not valid.')
    }
    if (!account.permissions.has(access)) {
      throw new SpotRejection(700007, 'No permission to access the endpoint.')
    }
    return account
  },

  readParams(request) {
    const values = new Map<string, ReceivedJson>(bodyValues(request))
    // A parameter that is in both is taken from the query (docs/exchanges/mexc.md, 2.1).
    for (const [name, value] of decodedPairs(request.rawQuery)) values.set(name, value)
    return new Params(values, spotProblems)
  },

  envelope: (data = null) => data,
  tooOften: () => new SpotRejection(429, 'Too Many Requests', 429),
  notFound: () => ({ status: 404, body: { code: 404, msg: 'Not Found' } }),
  broken: () => ({ status: 500, body: { code: 500, msg: 'Internal error' } }),

  rejection(error) {
    const rejection = error instanceof OrderRejectedError ? toSpotRejection(error) : error
    if (!(rejection instanceof SpotRejection)) return undefined
    return {
      status: rejection.status,
      body: { code: rejection.code, msg: rejection.message },
      ...(rejection.status === 429 ? { headers: { 'retry-after': '10' } } : {}),
    }
  },
}

function accountOf(venue: Venue, request: ExchangeRequest): Account {
  const apiKey = request.header('x-mexc-apikey')
  if (apiKey === undefined) throw new SpotRejection(400, 'api key required')
  const account = venue.accounts.byApiKey('mx', apiKey)
  if (account === undefined || account.isExpired)
    throw new SpotRejection(10072, 'Api key info invalid')
  if (!isAllowedAddress(request.remoteAddress, account.ipWhitelist)) {
    throw new SpotRejection(700006, `IP [${request.remoteAddress}] not in the ip white list`)
  }
  return account
}

// Only a wrong type is documented as rejected, not a missing one.
function checkContentType(request: ExchangeRequest): void {
  const type = request.header('content-type')
  if (request.method === 'GET' || type === undefined) return
  if (!/^application\/json\s*(;|$)/i.test(type))
    throw new SpotRejection(700013, 'Invalid content Type.')
}

function checkTime(params: Params, nowMs: number): void {
  const timestampMs = params.requiredInteger('timestamp')
  const recvWindowMs = params.integer('recvWindow') ?? RECV_WINDOW_MS
  if (recvWindowMs > RECV_WINDOW_MAX_MS) {
    throw new SpotRejection(700005, `recvWindow must less than ${RECV_WINDOW_MAX_MS}`)
  }
  if (timestampMs >= nowMs + AHEAD_MAX_MS || nowMs - timestampMs > recvWindowMs) {
    throw new SpotRejection(700003, 'Timestamp for this request is outside of the recvWindow.')
  }
}

function isSignedBy(account: Account, request: ExchangeRequest, signature: string): boolean {
  const { apiSecret } = secretsOf(account, request.header('x-mexc-apikey'))
  const expected = createHmac('sha256', apiSecret)
    .update(unsigned(request.rawQuery))
    .update(unsigned(request.body.toString('latin1')), 'latin1')
    .digest('hex')
  return isSameText(expected, signature)
}

const unsigned = (raw: string): string =>
  raw
    .split('&')
    .filter((pair) => !pair.startsWith('signature='))
    .join('&')

// Both forms exist: the documentation sends a form, some clients send JSON.
function bodyValues(request: ExchangeRequest): [string, ReceivedJson][] {
  const text = request.body.toString()
  if (!text.startsWith('{')) return decodedPairs(text)
  try {
    const value = readJson(text)
    return isObject(value) ? Object.entries(value) : []
  } catch (cause) {
    throw Object.assign(new SpotRejection(700004, 'The body cannot be read'), { cause })
  }
}

const WINDOW_MS = 10_000
const ADDRESS_MAX = 300
const ACCOUNT_MAX = 500
const ORDERS_PER_SECOND = 12

/**
 * The budgets of 2026, which all endpoints share: 300 of an address and 500 of an account in 10 s,
 * and 12 orders and cancels of an account in a second (docs/exchanges/mexc.md, 7).
 */
export const publicWeight = (weight: number): RateLimit => ({
  max: ADDRESS_MAX,
  windowMs: WINDOW_MS,
  weight,
  pool: { name: 'spot weight', of: 'address' },
})

/** That a signed read counts for the account too is not established [?]. */
export const signedWeight = (weight: number): readonly RateLimit[] => [
  publicWeight(weight),
  {
    max: ACCOUNT_MAX,
    windowMs: WINDOW_MS,
    weight,
    pool: { name: 'spot account weight', of: 'account' },
  },
]

/** Of what places or cancels; that batches and cancels of several belong to it is one reading. */
export const orderWeight = (weight: number): readonly RateLimit[] => [
  ...signedWeight(weight),
  {
    max: ORDERS_PER_SECOND,
    windowMs: 1_000,
    pool: { name: 'spot orders', of: 'account' },
  },
]

export const twicePerSecond: RateLimit = { max: 2, windowMs: 1_000 }

/** An error response of MEXC spot: `{ code, msg }`. */
export class SpotRejection extends Error {
  readonly code: number
  readonly status: number

  constructor(code: number, message: string, status = 400) {
    super(message)
    this.name = 'SpotRejection'
    this.code = code
    this.status = status
  }
}

export const spotProblems: ParamProblems = {
  missing: (name) =>
    new SpotRejection(
      700004,
      `Mandatory parameter '${name}' was not sent, was empty/null, or malformed`,
    ),
  malformed: (name) => new SpotRejection(33333, `param error: ${name}`),
}

export const noSuchSymbol = () => new SpotRejection(-1121, 'Invalid symbol.')
/** For orders; market data has -1121. */
export const badSymbol = () => new SpotRejection(10007, 'bad symbol')
export const orderNotFound = () => new SpotRejection(-2013, 'Order does not exist.')
export const unknownOrderSent = () => new SpotRejection(-2011, 'Unknown order sent.')
// The code for a repeated client order id is not documented; -2010 is a guess.
export const duplicateOrder = () => new SpotRejection(-2010, 'Duplicate order sent.')

// Codes by class (docs/exchanges/mexc.md, 6); which of a class the real exchange picks is not
// always established.
const codes: Record<RejectionReason, readonly [code: number, words: string]> = {
  'symbol-closed': [30016, 'Trading disabled'],
  'price-missing': [30010, 'no valid trade price'],
  'price-scale': [33333, 'price scale is invalid'],
  'price-low': [30087, 'Order price is below the allowed range'],
  'price-high': [30087, 'Order price is above the allowed range'],
  'size-missing': [
    700004,
    "Mandatory parameter 'quantity' was not sent, was empty/null, or malformed",
  ],
  'size-scale': [33333, 'quantity scale is invalid'],
  'size-small': [30002, 'The minimum transaction volume cannot be less than'],
  'size-large': [30003, 'The maximum transaction volume cannot be greater than'],
  'value-small': [30002, 'The minimum transaction volume cannot be less than'],
  'value-large': [30003, 'The maximum transaction volume cannot be greater than'],
  balance: [10101, 'Insufficient balance'],
  margin: [10101, 'Insufficient balance'],
  'no-position': [30004, 'Insufficient position'],
  'position-small': [30005, 'Oversold'],
  'position-mode': [30041, 'current order type can not place order'],
  'margin-mode': [30041, 'current order type can not place order'],
  leverage: [30041, 'current order type can not place order'],
  'too-many-orders': [30029, 'The number of open orders exceeds the limit'],
  'order-state': [-2011, 'Unknown order sent.'],
}

/** What MEXC spot says when its engine does not take an order. */
export function toSpotRejection(error: OrderRejectedError): SpotRejection {
  if (error.reason === 'balance' && error.detail !== 'USDT') {
    return new SpotRejection(30004, 'Insufficient position')
  }
  const [code, words] = codes[error.reason]
  const showsBound = error.reason.startsWith('size-s') || error.reason.startsWith('value-')
  return new SpotRejection(code, showsBound ? `${words} ${error.detail}` : words)
}
