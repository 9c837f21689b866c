import { createHmac } from 'node:crypto'
import { type Account, secretsOf } from '../account.ts'
import { type ReceivedJson, readJson } from '../exact-numbers.ts'
import {
  decodedPairs,
  type ExchangeRequest,
  isAllowedAddress,
  isObject,
  isSameText,
  isSortedByName,
  type ParamProblems,
  Params,
} from '../exchange-request.ts'
import type { Family } from '../family.ts'
import { OrderRejectedError, type RejectionReason } from '../order-shelf.ts'
import type { Venue } from '../venue.ts'

const TIME_OFF_MAX_MS = 10_000

/** Name under which a body that is a list is found among the parameters. */
export const LIST_BODY = '[]'

/**
 * MEXC contract v1: one envelope, HTTP 200 also for rejections, key, time and signature in headers.
 */
export const futuresFamily: Family = {
  limitPerAddress: null,
  authenticate(venue, request, access) {
    const account = accountOf(venue, request)
    const sentAtMs = request.header('request-time') ?? ''
    if (!/^\d{1,16}$/.test(sentAtMs)) throw new FuturesRejection(513, 'Invalid request time')
    if (Math.abs(request.nowMs - Number(sentAtMs)) > TIME_OFF_MAX_MS) {
      throw new FuturesRejection(513, 'Invalid request: Request-Time is more than 10 s off')
    }
    if (!isSignedBy(account, request, sentAtMs)) {
      throw new FuturesRejection(602, 'Signature verification failed!')
    }
    if (!account.permissions.has(access)) throw noPermission(request.path, access)
    return account
  },

  readParams(request) {
    if (request.method === 'GET')
      return new Params(new Map(decodedPairs(request.rawQuery)), futuresProblems)
    return new Params(new Map(bodyValues(request)), futuresProblems)
  },

  envelope: (data) => ({ success: true, code: 0, ...(data === undefined ? {} : { data }) }),
  tooOften: () => new FuturesRejection(510, 'Requests are too frequent, please try again later!'),
  notFound: () => ({
    status: 404,
    body: { success: false, code: 404, message: 'Not Found', data: null },
  }),
  broken: () => ({ status: 500, body: { success: false, code: 500, message: 'Internal error' } }),

  rejection(error) {
    const rejection = error instanceof OrderRejectedError ? toFuturesRejection(error) : error
    if (!(rejection instanceof FuturesRejection)) return undefined
    return {
      status: 200,
      body: { success: false, code: rejection.code, message: rejection.message, data: null },
    }
  },
}

// Four codes: for reading and writing what belongs to the account, and what belongs to trading.
function noPermission(path: string, access: 'read' | 'trade'): FuturesRejection {
  const isAccount = /^\/api\/v1\/private\/(account|position)\//.test(path)
  const code = { read: isAccount ? 701 : 703, trade: isAccount ? 702 : 704 }[access]
  return new FuturesRejection(code, `No permission: ${isAccount ? 'account' : 'trade'}, ${access}`)
}

function accountOf(venue: Venue, request: ExchangeRequest): Account {
  const apiKey = request.header('apikey')
  const account = apiKey === undefined ? undefined : venue.accounts.byApiKey('mx', apiKey)
  if (account === undefined) throw new FuturesRejection(401, 'Unauthorized')
  if (account.isExpired) throw new FuturesRejection(402, 'Api_key has expired')
  if (!isAllowedAddress(request.remoteAddress, account.ipWhitelist)) {
    throw new FuturesRejection(406, 'IP is not in the whitelist')
  }
  return account
}

/**
 * The bytes of the body, or the query sorted by name. Sources disagree whether values are signed as
 * encoded or raw, so either is valid; an unsorted query is rejected (MEXC contract documentation; a
 * pybotters issue).
 */
function isSignedBy(account: Account, request: ExchangeRequest, sentAtMs: string): boolean {
  const apiKey = request.header('apikey')
  const { apiSecret } = secretsOf(account, apiKey)
  const signature = request.header('signature') ?? ''
  const sign = (signed: string | Buffer) =>
    createHmac('sha256', apiSecret).update(`${apiKey}${sentAtMs}`).update(signed).digest('hex')
  if (request.method !== 'GET') return isSameText(sign(request.body), signature)
  const pairs = decodedPairs(request.rawQuery)
  if (!isSortedByName(pairs)) return false
  const raw = pairs.map(([name, value]) => `${name}=${value}`).join('&')
  return isSameText(sign(request.rawQuery), signature) || isSameText(sign(raw), signature)
}

function bodyValues(request: ExchangeRequest): [string, ReceivedJson][] {
  const type = request.header('content-type') ?? ''
  if (!/^application\/json\s*(;|$)/i.test(type))
    throw new FuturesRejection(600, 'Content-Type must be application/json')
  if (request.body.length === 0) return []
  try {
    const value = readJson(request.body.toString())
    return isObject(value) ? Object.entries(value) : [[LIST_BODY, value]]
  } catch (cause) {
    throw Object.assign(new FuturesRejection(601, 'The body cannot be decoded'), { cause })
  }
}

/**
 * An error response of MEXC futures: `{ success: false, code, message }`, most of them with HTTP
 * 200.
 */
export class FuturesRejection extends Error {
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.name = 'FuturesRejection'
    this.code = code
  }
}

export const futuresProblems: ParamProblems = {
  missing: (name) => new FuturesRejection(600, `Parameter error: ${name} is required`),
  malformed: (name) => new FuturesRejection(600, `Parameter error: ${name}`),
}

export const noSuchContract = () => new FuturesRejection(1001, 'Contract does not exist')
export const noSuchPosition = () => new FuturesRejection(2009, 'Position is nonexistent or closed')
export const modeInTheWay = () =>
  new FuturesRejection(2019, 'There are open orders or positions, the setting cannot be changed')

const codes: Record<RejectionReason, readonly [code: number, words: string]> = {
  'symbol-closed': [1002, 'Contract is not open for orders'],
  'price-missing': [2007, 'Order price error'],
  'price-scale': [2015, 'Price precision error'],
  'price-low': [2004, 'Price is too low'],
  'price-high': [2003, 'Price is too high'],
  'size-missing': [2011, 'Order quantity error'],
  'size-scale': [2011, 'Order quantity error'],
  'size-small': [2011, 'Order quantity error'],
  'size-large': [2028, 'Order quantity exceeds the maximum'],
  'value-small': [2011, 'Order quantity error'],
  'value-large': [2028, 'Order quantity exceeds the maximum'],
  balance: [2005, 'Balance insufficient'],
  margin: [2005, 'Balance insufficient'],
  'no-position': [2009, 'Position is nonexistent or closed'],
  'position-small': [2008, 'The quantity is insufficient'],
  'position-mode': [600, 'Parameter error: reduceOnly is for the one-way mode'],
  'margin-mode': [2002, 'Open type error'],
  leverage: [2006, 'Leverage ratio error'],
  'too-many-orders': [2036, 'Too many orders'],
  'order-state': [2041, 'Order state cannot be cancelled'],
}

/** What MEXC futures says when its engine does not take an order. */
export function toFuturesRejection({ reason }: OrderRejectedError): FuturesRejection {
  const [code, words] = codes[reason]
  return new FuturesRejection(code, words)
}
