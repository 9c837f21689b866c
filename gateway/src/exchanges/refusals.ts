import { type ErrorBody, type ExchangeCode, refusalKindOf } from 'schema'
import type { Exchange } from './adapter.ts'
import { isRecord } from './protocol/untrusted.ts'
import { adapters } from './registry.ts'

interface RawMount {
  /** How the paths begin. */
  readonly prefix: string
  /** What of it is not part of the exchange's own path. */
  readonly ours: string
  readonly exchange: ExchangeCode
}

/** Where the exchanges' own paths are. */
export const RAW_MOUNTS: readonly RawMount[] = [
  { prefix: '/mx', ours: '/mx', exchange: 'mx' },
  { prefix: '/bg', ours: '/bg', exchange: 'bg' },
  // The samples of the console use MEXC's paths without a prefix (console-checklist.md, 96 and
  // 192).
  { prefix: '/api/v3', ours: '', exchange: 'mx' },
  { prefix: '/api/v1/private', ours: '', exchange: 'mx' },
  { prefix: '/api/v1/contract', ours: '', exchange: 'mx' },
]

/**
 * An error in the form of the exchange's own errors, which its SDKs understand, with the whole
 * error beside it. Undefined on the gateway's own routes.
 * @param atMs when the request came
 */
export function refusalTextOf(
  error: ErrorBody,
  url: string,
  atMs: number,
  from = adapters,
): string | undefined {
  const refusals = rawApiOf(url, from)?.refusals
  if (refusals === undefined) return undefined
  const code = refusals.codes[refusalKindOf(error)]
  const body = refusals.body(code, `${error.code}: ${error.message}`, atMs)
  const text = JSON.stringify({ ...body, sluice: error })
  if (refusals.misread === undefined) return text
  // The same text for every reader of JSON. The first letter may be the end of an escape.
  return text.replaceAll(
    refusals.misread,
    (words) =>
      `${words.charAt(0)}\\u${words.charCodeAt(1).toString(16).padStart(4, '0')}${words.slice(2)}`,
  )
}

/** The API to which a URL belongs; undefined for the gateway's own routes. */
function rawApiOf(url: string, from: typeof adapters): Exchange | undefined {
  const path = decodedPath(url)
  const mount = RAW_MOUNTS.find(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`))
  if (mount === undefined) return undefined
  const own = path.slice(mount.ours.length)
  const apis = from.ofCode(mount.exchange)
  return apis.find(({ botCalls }) => botCalls.ownsPath(own)) ?? apis[0]
}

/** The path as the router reads it. */
function decodedPath(url: string): string {
  const [path = ''] = url.split(/[?#]/, 1)
  try {
    return decodeURI(path)
  } catch {
    return path
  }
}

/**
 * The gateway's own error in the text of a response, in either form; undefined when the exchange
 * wrote it.
 */
export function ownErrorIn(text: string): Partial<ErrorBody> | undefined {
  if (!text.includes('"requestId"')) return undefined
  try {
    const value: unknown = JSON.parse(text)
    const error = isRecord(value) ? (value.sluice ?? value) : undefined
    if (!isRecord(error) || typeof error.requestId !== 'string') return undefined
    return typeof error.code === 'string' ? error : undefined
  } catch {
    return undefined // It is no JSON.
  }
}
