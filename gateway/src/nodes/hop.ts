import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { FORWARDING_HEADERS } from '../http/proxies.ts'
import { readPreferWaitMs } from '../http/request-context.ts'
import type { PassedRequest } from '../http/request-origin.ts'

/** Only the listener for other nodes reads these; from callers they have no effect. */
const NAMES = {
  requestId: 'x-sluice-request-id',
  address: 'x-sluice-caller-address',
  nodeId: 'x-sluice-node',
} as const satisfies Record<keyof PassedRequest, string>

/** The run of the owner that a request is meant for. The first releases did not say it. */
const OWNER_NAME = 'x-sluice-owner'
/** The version of what a node says of a request that it passes. Fields can be added without it. */
const VERSION_NAME = 'x-sluice-channel'
/** A release understands a new version, and the next one sends it (docs/decisions/0009). */
const SENT_VERSION = 1
const UNDERSTOOD_VERSION = 1

/**
 * In a response to another node: this one has done nothing, because it is not the owner, or does
 * not understand the other one.
 */
export const NOT_OWNER_HEADER = 'x-sluice-not-owner'

/** What a node asks another one to learn whether it is there. */
export const PING_PATH = '/ping'

/** Headers about one connection (RFC 9110, 7.6.1), and those that the sender writes itself. */
const OF_CONNECTION: ReadonlySet<string> = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'proxy-authenticate', 'proxy-authorization'],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade', 'content-length', 'expect'],
  'http2-settings',
])
/** What proxies say is in the caller's address by now. */
const REPLACED: ReadonlySet<string> = new Set([
  ...FORWARDING_HEADERS,
  ...Object.values(NAMES),
  ...[OWNER_NAME, VERSION_NAME],
])

type Headers = Record<string, string | string[] | undefined>

/**
 * The headers of a request for another node.
 * @param ownerId the run of the owner that it is meant for
 */
export function headersToPass(
  headers: IncomingHttpHeaders,
  { requestId, address, nodeId }: PassedRequest,
  ownerId: string,
): Record<string, string> {
  const kept = withoutConnection(headers).filter(([name]) => !REPLACED.has(name))
  return {
    ...Object.fromEntries(kept.map(([name, value]) => [name, [value].flat().join(', ')])),
    [NAMES.requestId]: requestId,
    [NAMES.address]: address,
    [NAMES.nodeId]: nodeId,
    [OWNER_NAME]: ownerId,
    [VERSION_NAME]: `${SENT_VERSION}`,
  }
}

/**
 * The preferences of a caller whose request has waited here: the owner gets what is left of the
 * time. `Prefer` is replaced only where it has one.
 */
export function preferAfter(headers: IncomingHttpHeaders, waitedMs: number): IncomingHttpHeaders {
  const { prefer } = headers
  const waitMs = readPreferWaitMs(prefer)
  if (waitMs === undefined || waitedMs < 1_000) return headers
  const left = Math.max(0, Math.round((waitMs - waitedMs) / 1000))
  const text = [prefer ?? ''].flat().join(', ')
  return { ...headers, prefer: text.replace(/(wait\s*=\s*"?)\d+/i, `$1${left}`) }
}

/** The headers of another node's response, for the caller. */
export function headersToReturn(headers: Headers): Record<string, string | string[]> {
  return Object.fromEntries(withoutConnection(headers))
}

function withoutConnection(headers: Headers): [name: string, value: string | string[]][] {
  return Object.entries(headers).filter(
    (entry): entry is [string, string | string[]] =>
      entry[1] !== undefined && !OF_CONNECTION.has(entry[0]),
  )
}

export interface Passed {
  readonly from: PassedRequest
  /** The run of the owner that the request is meant for; empty when it names none. */
  readonly ownerId: string
}

/**
 * Reads what another node says of a request, and removes it from the headers. What else a newer
 * node says has no effect.
 * @returns undefined when it says less than it must, or in a version that is not known here
 */
export function takePassed({ headers }: IncomingMessage): Passed | undefined {
  const take = (name: string) => {
    const value = headers[name]
    delete headers[name]
    return typeof value === 'string' ? value : ''
  }
  const requestId = take(NAMES.requestId)
  const address = take(NAMES.address)
  const nodeId = take(NAMES.nodeId)
  const ownerId = take(OWNER_NAME)
  // The first releases did not say it.
  const version = Number(take(VERSION_NAME) || 1)
  if (!(version <= UNDERSTOOD_VERSION)) return undefined
  if (!/^[\da-f-]{36}$/.test(requestId) || isIP(address) === 0 || nodeId === '') return undefined
  return { from: { requestId, address, nodeId }, ownerId }
}
