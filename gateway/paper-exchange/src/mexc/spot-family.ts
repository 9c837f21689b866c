import { createHmac } from 'node:crypto'
import { type Account, secretsOf } from '../account.ts'
import { OrderRejectedError } from '../errors.ts'
import { type ReceivedJson, readJson } from '../exact-json.ts'
import { decodedPairs, type ExchangeRequest, isAllowedAddress } from '../exchange-request.ts'
import type { Family } from '../family.ts'
import { isObject, Params } from '../params.ts'
import { isSameText } from '../same-text.ts'
import type { Venue } from '../venue.ts'
import { SpotRejection, spotProblems, toSpotRejection } from './spot-rejection.ts'

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
