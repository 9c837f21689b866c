import { createHmac } from 'node:crypto'
import { beforeAll, beforeEach, onTestFinished } from 'vitest'
import type { PaperExchangeOptions } from '../../paper-exchange/src/engine.ts'
import { createPaperExchange, type PaperExchange } from '../../paper-exchange/src/paper-exchange.ts'

export const mexcKeys = { apiKey: 'mx0-test-key', apiSecret: 'mexc-test-secret' }
export const bitgetKeys = {
  ...{ apiKey: 'bg_test_key', apiSecret: 'bitget-test-secret', passphrase: 'bitgetTestPass' },
}
export const balances = { USDT: '100000', BTC: '2', ETH: '10' }

const accounts = [
  { exchange: 'mx', name: 'mexc', ...mexcKeys, balances },
  { exchange: 'bg', name: 'bitget', ...bitgetKeys, balances },
] as const

/** A paper exchange with one account on each side, closed with the test. */
export async function paperExchange(options: PaperExchangeOptions = {}): Promise<PaperExchange> {
  const paper = await createPaperExchange({ accounts, ...options })
  onTestFinished(() => paper.close())
  return paper
}

const MINUTE_MS = 60_000

/**
 * One for all tests of a file, as it was at its start before each of them. Its rate limits count
 * each call in a minute of its own.
 */
export function sharedPaper(options: PaperExchangeOptions = {}): PaperExchange {
  let made: PaperExchange | undefined
  let monotonicMs = 0
  const later = () => {
    monotonicMs += MINUTE_MS
    return monotonicMs
  }
  beforeAll(async () => {
    made = await createPaperExchange({ accounts, monotonicMs: later, ...options })
    return () => made?.close()
  })
  beforeEach(() => made?.reset())
  return new Proxy<PaperExchange>(Object.create(null), {
    get: (_target, name) => Reflect.get(made ?? {}, name),
  })
}

export interface Answer {
  readonly status: number
  readonly text: string
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests look into responses of every shape
  readonly json: any
}

export async function send(url: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(url, init)
  const text = await response.text()
  const isJson = text.startsWith('{') || text.startsWith('[')
  const { status, headers } = response
  return { status, text, headers, json: isJson ? JSON.parse(text) : null }
}

/** A POST to the control interface, below `/paper`. */
export const control = ({ url }: PaperExchange, path: string, body?: object): Promise<Answer> =>
  send(`${url}/paper/${path}`, {
    method: 'POST',
    ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  })

export type Fields = Readonly<Record<string, string | number | boolean>>

/** How a request is signed here: by hand, and by no code that is under test. */
export interface Signing {
  readonly keys?: { apiKey: string; apiSecret: string; passphrase?: string }
  readonly nowMs?: number
  /** Bitget only: sent in addition. */
  readonly headers?: Readonly<Record<string, string>>
}

const hex = (secret: string, text: string) =>
  createHmac('sha256', secret).update(text).digest('hex')

const encodePairs = (fields: Fields): string =>
  Object.entries(fields)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&')

const sorted = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).toSorted(([a], [b]) => (a < b ? -1 : 1)))

/** A signed MEXC spot call; `path` below `/api/v3`. */
export function mexcSpot(
  { url }: PaperExchange,
  method: string,
  path: string,
  fields: Fields = {},
  { keys = mexcKeys, nowMs = Date.now() }: Signing = {},
): Promise<Answer> {
  const query = encodePairs({ ...fields, timestamp: nowMs })
  return send(`${url}/api/v3${path}?${query}&signature=${hex(keys.apiSecret, query)}`, {
    method,
    headers: { 'x-mexc-apikey': keys.apiKey, 'content-type': 'application/json' },
  })
}

/**
 * A signed MEXC futures call; `path` below `/api/v1/private`. A GET's fields travel in the query, a
 * POST's in the body, which can also be given as text.
 */
export function mexcFutures(
  { url }: PaperExchange,
  method: 'GET' | 'POST',
  path: string,
  fields: Fields | readonly string[] | string = {},
  { keys = mexcKeys, nowMs = Date.now() }: Signing = {},
): Promise<Answer> {
  const isGet = method === 'GET'
  const isText = typeof fields === 'string'
  const query = isGet && !isText && !isList(fields) ? encodePairs(sorted(fields)) : ''
  const body = isGet ? '' : isText ? fields : JSON.stringify(fields)
  return send(`${url}/api/v1/private${path}${query === '' ? '' : `?${query}`}`, {
    method,
    headers: {
      apikey: keys.apiKey,
      'request-time': `${nowMs}`,
      signature: hex(keys.apiSecret, `${keys.apiKey}${nowMs}${isGet ? query : body}`),
      'content-type': 'application/json',
    },
    ...(isGet ? {} : { body }),
  })
}

type SignedCall<F> = (
  paper: PaperExchange,
  method: 'GET' | 'POST',
  path: string,
  fields?: F,
  signing?: Signing,
) => Promise<Answer>

/** Calls of one API of a paper exchange. They return the JSON of the responses. */
export const callsOf = <F>(call: SignedCall<F>, paper: PaperExchange, signing?: Signing) => ({
  get: async (path: string, fields?: F) => (await call(paper, 'GET', path, fields, signing)).json,
  post: async (path: string, fields?: F) => (await call(paper, 'POST', path, fields, signing)).json,
})

type BitgetCall = [
  paper: PaperExchange,
  method: 'GET' | 'POST',
  path: string,
  fields?: Fields,
  signing?: Signing,
]

/** A signed Bitget v2 call; `path` below `/api/v2`. A GET's fields travel in the query, sorted. */
export const bitget = (...call: BitgetCall): Promise<Answer> => bitgetBelow('/api/v2', ...call)

/** The same for v3, the unified account; `path` below `/api/v3`. */
export const bitgetUnified = (...call: BitgetCall): Promise<Answer> =>
  bitgetBelow('/api/v3', ...call)

function bitgetBelow(prefix: string, ...call: BitgetCall): Promise<Answer> {
  const [{ url }, method, path, fields = {}, signing = {}] = call
  const { keys = bitgetKeys, nowMs = Date.now(), headers = {} } = signing
  const isGet = method === 'GET'
  const raw = Object.entries(sorted(fields)).map(([name, value]) => `${name}=${value}`)
  const signedQuery = isGet && raw.length > 0 ? `?${raw.join('&')}` : ''
  const sentQuery = signedQuery === '' ? '' : `?${encodePairs(sorted(fields))}`
  const body = isGet ? '' : JSON.stringify(fields)
  const text = `${nowMs}${method}${prefix}${path}${signedQuery}${body}`
  return send(`${url}${prefix}${path}${sentQuery}`, {
    method,
    headers: {
      ...headers,
      'access-key': keys.apiKey,
      'access-sign': createHmac('sha256', keys.apiSecret).update(text).digest('base64'),
      'access-timestamp': `${nowMs}`,
      'access-passphrase': keys.passphrase ?? '',
      'content-type': 'application/json',
    },
    ...(isGet ? {} : { body }),
  })
}

const isList = (fields: Fields | readonly string[]): fields is readonly string[] =>
  Array.isArray(fields)
