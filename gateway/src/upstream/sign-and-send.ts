import { isUtf8 } from 'node:buffer'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate, inflateRaw, zstdDecompress } from 'node:zlib'
import type { AccountKind, ExchangeCode } from 'schema'
import {
  bodyTypeOf,
  type ExchangeKeys,
  type SignedRequest,
  type UpstreamCall,
  type UpstreamResponse,
} from '../exchanges/exchange.ts'
import { ExchangeConnectionLostError } from '../exchanges/protocol/errors.ts'
import { targetOf } from '../exchanges/protocol/query-text.ts'
import { complaintOf, type Verdict } from '../exchanges/protocol/verdict.ts'
import { readWithTime, remainingLimit } from '../exchanges/read-response.ts'
import { adapters } from '../exchanges/registry.ts'
import { notSent } from '../lane/errors.ts'
import type { Slot } from '../lane/job.ts'
import type { LaneVerdict, Outcome } from '../lane/lane-types.ts'
import type { Time } from '../time.ts'
import type { ClientKeys, OpenKeys } from './client-keys.ts'
import type { ExchangeClock } from './clock.ts'
import { JournalTooSlowError } from './errors.ts'
import { type CallReport, type Events, failureOf, resultOf } from './events.ts'
import { withoutSecrets } from './redact-secrets.ts'
import type { RequestContext } from './request-context.ts'
import type { Transport } from './transport.ts'

interface SignAndSendDeps {
  readonly exchange: ExchangeCode
  readonly transport: Pick<Transport, 'send'>
  readonly clock: Pick<ExchangeClock, 'nowMs'>
  readonly keys: Pick<ClientKeys, 'setAccountKind'>
  readonly time: Pick<Time, 'monotonic'>
  readonly events: Pick<Events, 'emit'>
}

/** Keys that are not stored: nothing is remembered of what their calls show. */
interface UnstoredKeys extends Pick<OpenKeys, 'keys'> {
  readonly rowId: null
}

export interface CallInSlot {
  readonly call: UpstreamCall
  /** Absent for a call of the gateway itself. */
  readonly context: RequestContext | undefined
  /** Null when the call needs none. */
  readonly keys: OpenKeys | UnstoredKeys | null
  readonly slot: Slot
  /** The response is passed on unchanged. */
  readonly raw: boolean
  /** The exchange's time to sign, whole Unix ms; absent: that of the moment of sending. */
  readonly exchangeTimeMs?: number
  /** Called with the exchange's time that is signed, Unix ms. */
  readonly onSigned?: ((exchangeTimeMs: number) => void) | undefined
}

/** An exchange's response and its verdict. */
export interface JudgedResponse {
  readonly response: UpstreamResponse
  readonly verdict: Verdict
}

/**
 * How old a given time may be when the call is sent. The exchanges accept 5 s and more
 * (docs/exchanges), and the network needs a part of that.
 */
const SIGNED_AGE_MS_MAX = 1_000

/**
 * Runs in a slot, when everything is ready: signs with the current time or the given one, sends
 * once, and judges the response.
 * @throws JournalTooSlowError when the given time is too old; the errors of the slot and transport
 */
export async function signAndSend(
  deps: SignAndSendDeps,
  { call, context, keys, slot, raw, exchangeTimeMs: givenMs, onSigned }: CallInSlot,
): Promise<JudgedResponse> {
  await slot.opened()
  const nowMs = deps.clock.nowMs()
  const exchangeTimeMs = givenMs ?? nowMs
  if (nowMs - exchangeTimeMs > SIGNED_AGE_MS_MAX)
    throw notSent(new JournalTooSlowError(nowMs - exchangeTimeMs))
  const signed = signCall(call, keys?.keys ?? null, exchangeTimeMs)
  onSigned?.(exchangeTimeMs)
  const report = startReport(deps, call, context, slot.queueWaitMs)
  const received = await deps.transport.send(call.family, signed, slot).catch((error: unknown) => {
    report({ status: undefined, result: failureOf(error), remaining: undefined })
    throw error
  })
  const plain = isEncoded(received) ? await decodeBody(received) : received
  const response = keys === null ? plain : withoutSecrets(plain, keys.keys, signed)
  const { verdict, timeOfCallMs } = readWithTime(call, response, raw)
  if (timeOfCallMs !== undefined) slot.onExchangeTime(timeOfCallMs)
  const { status } = response
  report({ status, result: resultOf(verdict), remaining: remainingLimit(call, response) })
  await noteAccountKind(deps, call, keys, verdict)
  return { response, verdict }
}

/**
 * Makes the request that goes on the wire. To be called when the request's slot has come: a
 * signature is good for seconds. A call that is not signed never carries a key.
 * @param keys null is enough for a call that is not signed
 * @param timestampMs the exchange's time (`createExchangeClock`)
 * @throws TypeError when a signed call comes without keys
 */
export function signCall(
  call: UpstreamCall,
  keys: ExchangeKeys | null,
  timestampMs: number,
  from = adapters,
): SignedRequest {
  const adapter = from.of(call.family)
  if (call.signed) {
    if (keys === null) throw new TypeError(`${call.method} ${call.path} is signed and needs keys`)
    return adapter.sign(call, keys, timestampMs)
  }
  return {
    method: call.method,
    url: targetOf(call.path, call.query),
    headers: {
      ...(call.body === null ? {} : { 'Content-Type': bodyTypeOf(call) }),
      ...adapter.headersOf?.(call),
    },
    body: call.body,
  }
}

/** Starts the time measurement of a call. The returned function reports how the call ended. */
function startReport(
  { exchange, time, events }: SignAndSendDeps,
  call: UpstreamCall,
  context: RequestContext | undefined,
  waitedMs: number,
) {
  const startedAtMs = time.monotonic()
  return (ended: Pick<CallReport, 'status' | 'result' | 'remaining'>) =>
    events.emit('call', {
      ...{ exchange, call, context, waitedMs, startedAtMs, ...ended },
      durationMs: time.monotonic() - startedAtMs,
    })
}

/** Remembers the kind of an account when a response shows another one than is known. */
async function noteAccountKind(
  deps: SignAndSendDeps,
  call: UpstreamCall,
  keys: CallInSlot['keys'],
  verdict: Verdict,
): Promise<void> {
  if (keys === null || keys.rowId === null) return
  const { rowId, accountKind } = keys
  const shown = accountKindShownBy(call, verdict, accountKind)
  if (shown === null || shown === accountKind) return
  const { exchange, events } = deps
  // The response has come: nothing that fails here may hide it.
  await deps.keys
    .setAccountKind(rowId, shown)
    .catch((error: unknown) => events.emit('accountKindNotStored', { exchange, error }))
  events.emit('accountKindLearnt', { exchange, kind: shown })
}

const OTHER_KIND: Readonly<Record<AccountKind, AccountKind>> = {
  classic: 'unified',
  unified: 'classic',
}

/**
 * The kind of the account after a response (docs/exchanges/bitget-unified.md, 1). A rejection
 * because of the kind proves the other kind. A successful call sets a kind that was unknown. Every
 * other response leaves the known kind.
 * @param known null while it is unknown
 */
function accountKindShownBy(
  call: UpstreamCall,
  verdict: Verdict,
  known: AccountKind | null,
  from = adapters,
): AccountKind | null {
  const kind = from.of(call.family).accountKindOf?.(call)
  if (kind === undefined) return known
  if (isAccountKindRejection({ verdict })) return OTHER_KIND[kind]
  return known === null && verdict.kind === 'ok' ? kind : known
}

/** The longest body once it is decoded, like that of one that is not encoded. */
const DECODED_BYTES_MAX = 8 * 1024 * 1024

type Decode = (body: Buffer, options: { readonly maxOutputLength: number }) => Promise<Buffer>

const inflateZlib: Decode = promisify(inflate)
const inflateBare: Decode = promisify(inflateRaw)

/** The codings of RFC 9110, 8.4.1, and what else servers send without being asked. */
const DECODERS: Readonly<Record<string, Decode>> = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  // Some servers leave the zlib header out, and browsers read that too.
  deflate: (body, options) => inflateZlib(body, options).catch(() => inflateBare(body, options)),
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
}
/** More would only cost time. */
const CODINGS_MAX = 3

/**
 * A response whose body is not encoded. The gateway asks for no coding, but without
 * `Accept-Encoding` a server may choose one (RFC 9110, 12.5.3), and only a plain body can be
 * understood and passed on. A name that is no coding (`none`, `utf-8`) changes nothing, as in
 * browsers, as long as the body is text.
 * @returns with an empty body, and its codings, when they cannot be undone (`isEncoded`)
 */
async function decodeBody(response: UpstreamResponse): Promise<UpstreamResponse> {
  try {
    const body = await decoded(response.body, codingsOf(response))
    const { 'content-encoding': _, 'content-length': __, ...headers } = response.headers
    return { ...response, headers, body }
  } catch {
    // The codings of the response say that there is no body.
    return { ...response, body: Buffer.alloc(0) }
  }
}

async function decoded(body: Buffer, codings: readonly string[]): Promise<Buffer> {
  if (body.length === 0) return body
  const known = codings.flatMap((coding) => DECODERS[coding] ?? [])
  if (known.length > CODINGS_MAX) throw new TypeError(`${known.length} codings`)
  let plain = body
  // The last one was applied last.
  for (const decode of known.toReversed())
    plain = await decode(plain, { maxOutputLength: DECODED_BYTES_MAX })
  if (known.length < codings.length && !isUtf8(plain)) throw new TypeError(`No coding: ${codings}`)
  return plain
}

/** Whether the body is encoded; after `decodeBody`, that it cannot be decoded. */
export function isEncoded(response: UpstreamResponse): boolean {
  return codingsOf(response).length > 0
}

function codingsOf({ headers }: UpstreamResponse): readonly string[] {
  const value = headers['content-encoding']
  if (value === undefined) return []
  const codings = `${value}`.split(',').map((coding) => coding.trim().toLowerCase())
  return codings.filter((coding) => coding !== '' && coding !== 'identity')
}

/** The exchange did nothing, because it rejected the timestamp of the request. */
export function isTimeRejection({ verdict }: JudgedResponse): boolean {
  return verdict.kind === 'rejected' && verdict.rejection.class === 'time'
}

/** The exchange did nothing, because the call is for the other kind of account. */
export function isAccountKindRejection({ verdict }: Pick<JudgedResponse, 'verdict'>): boolean {
  return verdict.kind === 'rejected' && verdict.rejection.class === 'account-kind'
}

/** The exchange did nothing, and the same order may be sent again. */
export function isTurnedAway(judged: JudgedResponse): boolean {
  return (
    judged.verdict.kind === 'rate-limited' ||
    isTimeRejection(judged) ||
    isAccountKindRejection(judged)
  )
}

/**
 * What a call's outcome says about the exchange: whether its lane continues, pauses, or counts the
 * exchange as down. Only a rejection pauses the lane: a header about remaining calls does not,
 * because it counts one endpoint (docs/exchanges/bitget.md, 9).
 */
export function toLaneVerdict(outcome: Outcome<JudgedResponse>): LaneVerdict {
  if ('error' in outcome) {
    if (outcome.error instanceof JournalTooSlowError) return { kind: 'ok', goesAgain: true }
    if (outcome.error instanceof ExchangeConnectionLostError && outcome.error.isUnheard)
      return { kind: 'unheard' }
    if (!isTransportFailure(outcome.error)) return { kind: 'ok' }
    // Without a connection no call gets through. A lost or late response may be due to the call.
    return { kind: 'down', isCertain: outcome.error.code === 'EXCHANGE_UNREACHABLE' }
  }
  const { verdict, response } = outcome.response
  switch (verdict.kind) {
    case 'rate-limited':
      // Every rate limit rejection proves that nothing was done (docs/exchanges, sections on
      // errors). With 418 MEXC bans the address for all (docs/exchanges/mexc.md, 6).
      return {
        kind: 'rate-limited',
        notTaken: true,
        isCertain: response.status === 418,
        ...(verdict.retryAfterMs === undefined ? {} : { retryAfterMs: verdict.retryAfterMs }),
      }
    case 'unknown':
      return isOfTheCall(response.status, verdict.exchangeCode)
        ? { kind: 'ok' }
        : { kind: 'down', why: complaintOf(verdict) }
    default:
      return { kind: 'ok' }
  }
}

/**
 * A response with an error code is about the call, and so is one with HTTP 4xx. Any caller can
 * cause one: by a body that is too large or that a firewall does not like, or 603, "repeated
 * request". It must not stop the exchange for others, nor the cancels of the same client. Two
 * statuses are about the exchange: 408, a timeout, and 403, with which a firewall closes it to the
 * gateway's address.
 */
function isOfTheCall(status: number, exchangeCode: string | undefined): boolean {
  if (status < 500 && exchangeCode !== undefined) return true
  return status >= 400 && status < 500 && status !== 403 && status !== 408
}

function isTransportFailure(error: unknown): error is Error & { readonly code: string } {
  return (
    error instanceof Error &&
    'code' in error &&
    (error.code === 'EXCHANGE_UNREACHABLE' ||
      error.code === 'EXCHANGE_TIMEOUT' ||
      error.code === 'EXCHANGE_CONNECTION_LOST')
  )
}
