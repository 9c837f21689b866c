import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { bitget, mexc } from 'ccxt'
import type { ExchangeCode, HttpMethod } from '../../src/exchanges/exchange.ts'

/** A call that an installed SDK knows. */
export interface SdkCall {
  readonly exchange: ExchangeCode
  readonly method: HttpMethod
  /** A part in braces is any value. */
  readonly path: string
  readonly sdk: string
  /** How often ccxt sends it by itself, per second, and the weight that it gives it. */
  readonly pace?: { readonly perSecond: number; readonly weight: number }
}

/** An error code of an exchange, and the name of the class that ccxt throws for it. */
export interface SdkCode {
  readonly exchange: ExchangeCode
  readonly code: string
  readonly error: string
}

const CCXT = { mx: mexc, bg: bitget } as const
/** Any that can sign: the calls are signed to learn their addresses, and never sent. */
const PLACEHOLDERS = { apiKey: 'key', secret: 'secret', password: 'passphrase' }
const METHODS: Readonly<Record<string, HttpMethod>> = {
  get: 'GET',
  post: 'POST',
  put: 'PUT',
  delete: 'DELETE',
}

/** Every call in the tables of the installed SDKs. Reads files and sends nothing. */
export function readSdkCalls(): SdkCall[] {
  return [
    ...(['mx', 'bg'] as const).flatMap((exchange) => ccxtCalls(exchange)),
    ...bitgetApiCalls(),
    ...mexcSdkCalls(),
  ]
}

/** The codes that ccxt has an error for. The other SDKs have no list of codes. */
export function readSdkCodes(): SdkCode[] {
  return (['mx', 'bg'] as const).flatMap((exchange) => {
    const { exceptions } = new CCXT[exchange]().describe() as CcxtFacts
    // Bitget's first API had texts in the place of codes.
    const codes = Object.entries(exceptions.exact).filter(([code]) => /^-?\d+$/.test(code))
    return codes.map(([code, { name }]) => ({ exchange, code, error: name }))
  })
}

interface CcxtClient {
  describe(): CcxtFacts
  sign(name: string, sections: string[], method: string, values: object): { readonly url: string }
}
interface CcxtFacts {
  readonly api: ApiTable
  /** ms between two calls that cost 1. */
  readonly rateLimit: number
  readonly exceptions: { readonly exact: Readonly<Record<string, { readonly name: string }>> }
}
interface ApiTable {
  readonly [section: string]:
    | ApiTable
    | Readonly<Record<string, number | { readonly cost: number }>>
}

function ccxtCalls(exchange: ExchangeCode): SdkCall[] {
  // ccxt's types give MEXC's sections as one text; its code takes a list, as for Bitget.
  const client = new CCXT[exchange](PLACEHOLDERS) as unknown as CcxtClient
  const { api, rateLimit } = client.describe()
  return tableEntries(api).map(({ sections, method, name, cost }) => {
    const parts = [...name.matchAll(/\{\w+\}/g)].map(([part]) => [part.slice(1, -1), part])
    const { url } = client.sign(name, sections, method, Object.fromEntries(parts))
    const path = decodeURIComponent(new URL(url).pathname)
    const pace = { perSecond: 1000 / (rateLimit * cost), weight: cost }
    return { exchange, method, path, sdk: 'ccxt', pace }
  })
}

interface TableEntry {
  readonly sections: string[]
  readonly method: HttpMethod
  readonly name: string
  readonly cost: number
}

function tableEntries(table: ApiTable, sections: string[] = []): TableEntry[] {
  return Object.entries(table).flatMap(([key, below]) => {
    const method = METHODS[key]
    if (method === undefined) return tableEntries(below as ApiTable, [...sections, key])
    return Object.entries(below).map(([name, of]) => {
      const cost = typeof of === 'number' ? of : Number(of.cost)
      return { sections, method, name, cost }
    })
  })
}

/** bitget-api has one method for each call; the path is the first argument inside of it. */
function bitgetApiCalls(): SdkCall[] {
  const folder = new URL('.', import.meta.resolve('bitget-api'))
  const files = readdirSync(folder).filter((file) => /^rest-client-v\d+\.js$/.test(file))
  return files.flatMap((file) => {
    const source = readFileSync(fileURLToPath(new URL(file, folder)), 'utf8')
    return callsIn(
      source,
      /this\.(?:get|post|put|delete)(?:Private)?\(/g,
      /this\.(?<method>get|post|put|delete)(?:Private)?\(\s*(?<quote>['"`])(?<path>[^'"`]+)\k<quote>/g,
    ).map(({ method, path }) => ({
      exchange: 'bg' as const,
      method: methodOf(method),
      path: path.replaceAll('${', '{'),
      sdk: 'bitget-api',
    }))
  })
}

function mexcSdkCalls(): SdkCall[] {
  const folder = new URL('modules/', import.meta.resolve('mexc-api-sdk'))
  const sources = readdirSync(folder)
    .filter((file) => file.endsWith('.js'))
    .map((file) => readFileSync(fileURLToPath(new URL(file, folder)), 'utf8'))
  const [, base] = sources.join('\n').match(/baseURL = '([^']+)'/) ?? []
  if (base === undefined) throw new Error('mexc-api-sdk: the base URL is not where it was')
  return sources.flatMap((source) =>
    callsIn(
      source,
      /\.(?:publicRequest|signRequest)\(/g,
      /\.(?:publicRequest|signRequest)\(\s*['"](?<method>\w+)['"],\s*['"](?<path>[^'"]+)['"]/g,
    ).map(({ method, path }) => ({
      exchange: 'mx' as const,
      method: methodOf(method),
      path: `${new URL(base).pathname}${path}`,
      sdk: 'mexc-api-sdk',
    })),
  )
}

/**
 * The calls in a source, by a pattern that reads one.
 * @throws when there are calls that the pattern does not read: the SDK is written in another way
 */
function callsIn(source: string, anyCall: RegExp, readable: RegExp) {
  const read = [...source.matchAll(readable)].map(({ groups = {} }) => groups)
  const all = [...source.matchAll(anyCall)].length
  if (read.length !== all) throw new Error(`Only ${read.length} of ${all} calls can be read`)
  return read.map(({ method = '', path = '' }) => ({ method, path }))
}

function methodOf(name: string): HttpMethod {
  const method = METHODS[name.toLowerCase()]
  if (method === undefined) throw new Error(`${name} is no method of an exchange`)
  return method
}
