import type { AccountKind, ExchangeCode } from 'schema'
import type { UpstreamCall } from '../exchanges/exchange.ts'
import type { Verdict } from '../exchanges/protocol/verdict.ts'
import { readWithTime } from '../exchanges/read-response.ts'
import { adapters } from '../exchanges/registry.ts'
import { remainingLimit } from '../exchanges/remaining-limit.ts'
import { signCall } from '../exchanges/sign.ts'
import { notSent } from '../lane/errors.ts'
import type { Slot } from '../lane/job.ts'
import { type CallReport, failureOf, resultOf } from './call-report.ts'
import type { ClientKeys, OpenKeys } from './client-keys.ts'
import type { ExchangeClock } from './clock.ts'
import { decodeBody, isEncoded } from './decode-body.ts'
import { JournalTooSlowError } from './errors.ts'
import type { Events } from './events.ts'
import { isAccountKindRejection, type JudgedResponse } from './judged-response.ts'
import { withoutSecrets } from './redact-secrets.ts'
import type { RequestContext } from './request-context.ts'
import type { Transport } from './transport.ts'

export interface SignAndSendDeps {
  readonly exchange: ExchangeCode
  readonly transport: Pick<Transport, 'send'>
  readonly clock: Pick<ExchangeClock, 'nowMs'>
  readonly keys: Pick<ClientKeys, 'setAccountKind'>
  readonly monotonicMs: () => number
  readonly events: Pick<Events, 'emit'>
}

/** Keys that are not stored: nothing is remembered of what their calls show. */
export interface UnstoredKeys extends Pick<OpenKeys, 'keys'> {
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

/** Starts the time measurement of a call. The returned function reports how the call ended. */
function startReport(
  { exchange, monotonicMs, events }: SignAndSendDeps,
  call: UpstreamCall,
  context: RequestContext | undefined,
  waitedMs: number,
) {
  const startedAtMs = monotonicMs()
  return (ended: Pick<CallReport, 'status' | 'result' | 'remaining'>) =>
    events.emit('call', {
      ...{ exchange, call, context, waitedMs, startedAtMs, ...ended },
      durationMs: monotonicMs() - startedAtMs,
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
