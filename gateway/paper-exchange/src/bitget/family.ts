import { createHmac } from 'node:crypto'
import { type Account, type Permission, secretsOf } from '../account.ts'
import { type ReceivedJson, readJson } from '../exact-numbers.ts'
import {
  decodedPairs,
  type ExchangeRequest,
  isAllowedAddress,
  isList,
  isObject,
  isSameText,
  isSortedByName,
  type ParamProblems,
  Params,
} from '../exchange-request.ts'
import type { Family } from '../family.ts'
import { OrderRejectedError } from '../order-shelf.ts'
import type { Venue } from '../venue.ts'
import {
  type BitgetDialect,
  BitgetRejection,
  bitgetProblems,
  toBitgetRejection,
  unifiedProblems,
} from './calls.ts'

/** The name under which a body that is a list is found. */
export const LIST_BODY = '[]'

/**
 * What `uta_mgt` opens: the account itself, and not its orders (docs/exchanges/bitget-unified.md,
 * 2).
 */
const MANAGED = '/api/v3/account/'
const TIME_OFF_MAX_MS = 30_000
const RECEIVE_WINDOW_MAX_MS = 60_000

/** Bitget v2 and v3: one envelope with `code` as text, everything that signs in headers. */
export function createBitgetFamily(dialect: BitgetDialect): Family {
  const isV3 = dialect === 'unified'
  const problems = isV3 ? unifiedProblems : bitgetProblems
  const readParams = (request: ExchangeRequest) => paramsOf(request, problems)
  return {
    limitPerAddress: { max: 6_000, windowMs: 60_000 },
    // By Bitget's FAQ alone.
    limitHeader: 'x-mbx-used-remain-limit',
    authenticate(venue, request, access) {
      const account = accountOf(venue, request, dialect)
      checkTime(request)
      checkContentType(request)
      if (!isSignedBy(account, request, isV3))
        throw new BitgetRejection('40009', 'sign signature error')
      // v3 has the two parameters of the window on its WebSocket only.
      if (!isV3) checkWindow(readParams(request), request.nowMs)
      checkPermission(account, access)
      if (isV3 && request.path.startsWith(MANAGED)) checkPermission(account, 'manage')
      return account
    },
    readParams,
    envelope: (data = null, nowMs) => ({ code: '00000', msg: 'success', requestTime: nowMs, data }),
    tooOften: () => new BitgetRejection('429', 'Too Many Requests', 429),
    notFound: (_path, nowMs) => ({
      status: 404,
      body: { code: '40404', msg: 'Request URL NOT FOUND', requestTime: nowMs, data: null },
    }),
    broken: (nowMs) => ({
      status: 500,
      body: {
        code: '40015',
        msg: 'System is abnormal, please try again later',
        requestTime: nowMs,
        data: null,
      },
    }),
    rejection(error, nowMs) {
      const rejection =
        error instanceof OrderRejectedError ? toBitgetRejection(error, dialect) : error
      if (!(rejection instanceof BitgetRejection)) return undefined
      const { code, status, message } = rejection
      return { status, body: { code, msg: message, requestTime: nowMs, data: null } }
    },
  }
}

function accountOf(venue: Venue, request: ExchangeRequest, dialect: BitgetDialect): Account {
  const apiKey = request.header('access-key')
  if (apiKey === undefined) throw new BitgetRejection('40001', 'ACCESS_KEY cannot be empty')
  if (request.header('access-sign') === undefined)
    throw new BitgetRejection('40002', 'ACCESS_SIGN cannot be empty')
  const passphrase = request.header('access-passphrase')
  if (passphrase === undefined)
    throw new BitgetRejection('40011', 'ACCESS_PASSPHRASE cannot be empty')
  const account = venue.accounts.byApiKey('bg', apiKey)
  if (account === undefined || account.isExpired)
    throw new BitgetRejection('40037', 'Apikey does not exist')
  checkEnvironment(account, request)
  checkAccountKind(account, dialect)
  if (!isSameText(secretsOf(account, apiKey).passphrase, passphrase))
    throw new BitgetRejection('40012', 'apikey/password is incorrect')
  if (!isAllowedAddress(request.remoteAddress, account.ipWhitelist)) {
    throw new BitgetRejection('40018', 'Invalid IP')
  }
  return account
}

/** The demo header and the key have to fit (docs/exchanges/bitget.md, 1). */
function checkEnvironment({ isDemo }: Account, request: ExchangeRequest): void {
  const wantsDemo = request.header('paptrading') === '1'
  if (isDemo !== null && isDemo !== wantsDemo)
    throw new BitgetRejection('40099', 'exchange environment is incorrect')
}

/**
 * v2 serves classic accounts and v3 unified ones. A key of the other kind is rejected as soon as it
 * is known: a wrong passphrase or signature gets the same rejection
 * (docs/exchanges/bitget-unified.md, 1). How an account between the two kinds is rejected is not
 * documented [?]; here each family rejects it with its own code.
 */
function checkAccountKind({ isUnified, isSwitching }: Account, dialect: BitgetDialect): void {
  const isV3 = dialect === 'unified'
  if (isUnified === isV3 && !isSwitching) return
  throw isV3
    ? new BitgetRejection('40084', 'The account is a classic account, which v3 does not serve')
    : new BitgetRejection('40085', 'The account is a unified account, which v2 does not serve')
}

function checkPermission({ permissions }: Account, needed: Permission): void {
  if (permissions.has(needed)) return
  const name = needed === 'manage' ? 'uta_mgt' : needed
  throw new BitgetRejection('40014', `Incorrect permissions, need ${name} permissions`)
}

function checkTime(request: ExchangeRequest): void {
  const sentAtMs = request.header('access-timestamp') ?? ''
  if (!/^\d{1,16}$/.test(sentAtMs)) throw new BitgetRejection('40005', 'Invalid ACCESS_TIMESTAMP')
  if (Math.abs(request.nowMs - Number(sentAtMs)) > TIME_OFF_MAX_MS) {
    throw new BitgetRejection('40008', 'Request timestamp expired')
  }
}

function checkContentType(request: ExchangeRequest): void {
  if (request.method === 'GET') return
  if (!/^application\/json\s*(;|$)/i.test(request.header('content-type') ?? '')) {
    throw new BitgetRejection('40007', 'Invalid Content_Type')
  }
}

/**
 * `requestTime` and `receiveWindow` are optional; together they narrow the time in which a request
 * is valid.
 */
function checkWindow(params: Params, nowMs: number): void {
  const requestTimeMs = params.integer('requestTime')
  const windowMs = params.integer('receiveWindow')
  if (windowMs !== undefined && windowMs > RECEIVE_WINDOW_MAX_MS) {
    throw new BitgetRejection('40079', `receiveWindow is above ${RECEIVE_WINDOW_MAX_MS}`)
  }
  if (requestTimeMs === undefined || windowMs === undefined) return
  if (Math.abs(nowMs - requestTimeMs) > windowMs) {
    throw new BitgetRejection('40078', 'The request is outside of the receiveWindow')
  }
}

/**
 * Signed is the query as it is after decoding, sorted by name, and the bytes of the body. Field
 * reports with Chinese characters and dollar signs show that the encoded text is rejected. What is
 * sent to v2 has to be sorted too; v3 took a query in the order of the caller, which had signed it
 * so (docs/exchanges/bitget-unified.md, 2).
 */
function isSignedBy(account: Account, request: ExchangeRequest, anyOrder: boolean): boolean {
  const { apiSecret } = secretsOf(account, request.header('access-key'))
  const pairs = decodedPairs(request.rawQuery)
  if (!anyOrder && !isSortedByName(pairs)) return false
  const query = pairs.map(([name, value]) => `${name}=${value}`).join('&')
  const timestamp = request.header('access-timestamp') ?? ''
  const expected = createHmac('sha256', apiSecret)
    .update(`${timestamp}${request.method}${request.path}${query === '' ? '' : `?${query}`}`)
    .update(request.body)
    .digest('base64')
  return isSameText(expected, request.header('access-sign') ?? '')
}

function paramsOf(request: ExchangeRequest, problems: ParamProblems): Params {
  const values = request.method === 'GET' ? decodedPairs(request.rawQuery) : bodyValues(request)
  return new Params(new Map<string, ReceivedJson>(values), problems)
}

function bodyValues(request: ExchangeRequest): [string, ReceivedJson][] {
  if (request.body.length === 0) return []
  try {
    const value = readJson(request.body.toString())
    if (isObject(value)) return Object.entries(value)
    if (isList(value)) return [[LIST_BODY, value]]
  } catch (cause) {
    throw Object.assign(new BitgetRejection('40017', 'Parameter verification failed'), { cause })
  }
  throw new BitgetRejection('40017', 'Parameter verification failed')
}
