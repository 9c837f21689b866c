import { type AccountKind, EXCHANGE_NAMES, type ExchangeCode } from 'schema'
import { type ExchangeKeys, responseKeyOf, type UpstreamCall } from '../exchanges/exchange.ts'
import { ExchangeResponseUnclearError } from '../exchanges/protocol/errors.ts'
import { dataOf, isRejectedAs, rejectionError } from '../exchanges/protocol/rejection.ts'
import type { Verdict } from '../exchanges/protocol/verdict.ts'
import { keptAgeMs } from '../exchanges/public-data.ts'
import {
  isRead,
  type Job,
  type JobClass,
  type JobLabel,
  type OnQueued,
  type Slot,
} from '../lane/job.ts'
import type { Lane } from '../lane/lane-types.ts'
import type { ClientStore } from '../store/client-store.ts'
import type { Time } from '../time.ts'
import type { ClientKeys, OpenKeys } from './client-keys.ts'
import { type ExchangeClock, ExchangeTime } from './clock.ts'
import { ExchangeResponseInvalidError } from './errors.ts'
import type { Events } from './events.ts'
import { addQueueMs, addUpstreamMs, type RequestContext } from './request-context.ts'
import { KeptInTimeError, type KeptResponses } from './responses.ts'
import {
  type CallInSlot,
  isEncoded,
  isTimeRejection,
  type JudgedResponse,
  signAndSend,
} from './sign-and-send.ts'
import type { Transport } from './transport.ts'
import { LateCheck, QueueWait, type QueueWaitOptions } from './waiting.ts'

interface UpstreamDeps extends Pick<QueueWaitOptions, 'maxQueueWaitMs' | 'clientWaitingMax'> {
  readonly exchange: ExchangeCode
  readonly lane: Lane<JudgedResponse>
  readonly transport: Pick<Transport, 'send' | 'warm'>
  readonly clock: ExchangeClock
  readonly kept: KeptResponses
  readonly keys: ClientKeys
  readonly clients: Pick<ClientStore, 'find'>
  readonly time: Time
  readonly events: Pick<Events, 'emit'>
}

/**
 * What happens in a call's slot: opens the keys, signs the call and sends it.
 * @param context the request's, for which what was read since the slot came is new enough
 */
type InSlot = (slot: Slot, context: RequestContext) => Promise<JudgedResponse>

/** Whose keys are meant, and how new their row has to be. */
type KeysOwner = Pick<RequestContext, 'clientRef' | 'readSinceMs'>

export interface SendOptions {
  readonly jobClass: JobClass
  /**
   * The response is passed on unchanged: only its verdict is needed, not the digits of its numbers.
   */
  readonly raw?: boolean
  /** Asked when the slot comes: why the call must not be sent; undefined when it may. */
  readonly lateCheckError?: (context: RequestContext) => Promise<undefined | Error>
  /** Called when the call is queued. */
  readonly onQueued?: OnQueued
  /** Absent: opens the keys, signs the call and sends it. */
  readonly inSlot?: InSlot
  /** The order that the call is about, by its names. */
  readonly order?: JobLabel['order']
}

type SigningOptions = Pick<SendOptions, 'raw'> & Pick<CallInSlot, 'exchangeTimeMs' | 'onSigned'>

interface AccountOptions extends SendOptions {
  /** Whose failures count together: the client's keys, or the client with its public calls. */
  readonly account: string
}

/**
 * Carries every call to one exchange: queues it, signs it in its slot, sends it once, and judges
 * the response.
 */
export class Upstream {
  readonly exchange: ExchangeCode
  /** The exchange's name in messages to callers. */
  readonly name: string
  readonly time: ExchangeTime
  readonly #deps: UpstreamDeps
  readonly #wait: QueueWait
  readonly #check: LateCheck

  constructor(deps: UpstreamDeps) {
    const { exchange, clock, time, events } = deps
    this.#deps = deps
    this.exchange = exchange
    this.name = EXCHANGE_NAMES[exchange]
    this.time = new ExchangeTime({
      ...{ exchange, clock, time, events },
      ask: (call, onSent) => this.sendOwn(call, onSent, true),
    })
    this.#wait = new QueueWait({ ...deps, name: this.name })
    this.#check = new LateCheck(deps)
  }

  /**
   * Sends a read and returns what `read` makes of the data.
   * @throws rejectionError when the exchange rejected it, ExchangeResponseInvalidError when the
   * response is not usable
   */
  async ask<T>(
    context: RequestContext,
    call: UpstreamCall,
    read: (data: unknown) => T,
    jobClass: JobClass = call.signed ? 'account' : 'market',
  ): Promise<T> {
    let { verdict, response } = await this.#read(context, call, { jobClass })
    // Seen on reads of Bitget (docs/exchanges/bitget-unified.md, 2).
    const isEmpty = response.status === 200 && response.body.length === 0 && !isEncoded(response)
    if (call.method === 'GET' && isEmpty)
      ({ verdict, response } = await this.#read(context, call, { jobClass }))
    if (verdict.kind === 'unknown') throw new ExchangeResponseInvalidError(this.name, verdict.why)
    if (verdict.kind !== 'ok') throw rejectionError(this.name, verdict.rejection)
    try {
      return read(verdict.data)
    } catch (cause) {
      if (!(cause instanceof ExchangeResponseUnclearError)) throw cause
      throw new ExchangeResponseInvalidError(this.name, cause.message)
    }
  }

  /**
   * Sends a read that is signed with keys that are not stored, and returns the data. The result
   * does not count for the stored keys of the client: neither for their breaker nor for their
   * alerts.
   * @throws ExchangeRejectedError, ExchangeResponseUnclearError, the errors of the lane and the
   * transport
   */
  async askWithKeys(
    context: RequestContext,
    call: UpstreamCall,
    keys: ExchangeKeys,
  ): Promise<unknown> {
    const { requestId, method, endpoint, clientId, signal } = context
    await this.time.sync()
    const { response } = await this.#deps.lane.submit({
      clientId,
      jobClass: 'account',
      account: `new keys of ${clientId}`,
      isSigned: true,
      label: { requestId, method, endpoint },
      ...(signal === undefined ? {} : { signal }),
      run: (slot) => this.signAndSend(undefined, call, { rowId: null, keys }, slot),
    })
    return dataOf(this.name, response.verdict)
  }

  /**
   * Sends a read whose response is passed on unchanged.
   * @throws ExchangeResponseInvalidError when HTTP has no such response
   */
  async askRaw(context: RequestContext, call: UpstreamCall): Promise<JudgedResponse> {
    const jobClass = call.signed ? 'account' : 'market'
    const judged = await this.#read(context, call, { jobClass, raw: true })
    const { status } = judged.response
    // RFC 9110, 15: a status of another class means nothing, and cannot be sent.
    if (status < 200 || status > 599)
      throw new ExchangeResponseInvalidError(this.name, `It responded with HTTP ${status}`)
    if (isEncoded(judged.response))
      throw new ExchangeResponseInvalidError(this.name, 'Its body cannot be decoded')
    return judged
  }

  /**
   * Sends a read, unless a kept response serves it. One that came while the read waited does too:
   * the read then takes no slot.
   */
  async #read(
    context: RequestContext,
    call: UpstreamCall,
    options: SendOptions,
  ): Promise<JudgedResponse> {
    const maxAgeMs = context.noStore === true ? undefined : keptAgeMs(call, context.maxAgeMs)
    if (maxAgeMs === undefined) return this.send(context, call, options)
    const { kept, keys } = this.#deps
    const keyFor = (opened: OpenKeys | null) =>
      responseKeyOf(call, opened && keys.digestOf(opened.keys))
    const find = async (now: RequestContext) =>
      kept.find(keyFor(await this.openKeys(now, call)), maxAgeMs)
    const found = await find(context)
    if (found !== undefined) return kept.use(found, call, context.timings)
    try {
      return await this.send(context, call, {
        ...options,
        async lateCheckError(now) {
          const late = await find(now)
          return late && new KeptInTimeError(late)
        },
        inSlot: async (slot, now) => {
          const opened = await this.openKeys(now, call)
          return kept.carry(keyFor(opened), call, () =>
            this.signAndSend(now, call, opened, slot, options),
          )
        },
      })
    } catch (error) {
      if (!(error instanceof KeptInTimeError)) throw error
      return kept.use(error.kept, call, context.timings)
    }
  }

  /** Looks up an order, ahead of all new orders. */
  async lookUp(context: RequestContext, call: UpstreamCall): Promise<Verdict> {
    return (await this.send(context, call, { jobClass: 'lookup' })).verdict
  }

  /**
   * Sends one call through the lane. When the exchange rejects its timestamp, which proves that
   * nothing was done, the clock is measured and the call is sent once more. When the clock cannot
   * be measured, the caller gets the rejection.
   * @throws AccountSharedError, the errors of the lane and the transport
   */
  async send(
    context: RequestContext,
    call: UpstreamCall,
    options: SendOptions,
  ): Promise<JudgedResponse> {
    let account = `public ${context.clientId}`
    if (call.signed) {
      account = `keys ${await this.#deps.keys.rowIdOf(context.clientRef, this.exchange, context.readSinceMs)}`
      const reachError = await this.#check.reachError(context, call)
      if (reachError !== undefined) throw reachError
      await this.time.sync()
    }
    const submit = () => this.#submit(context, call, { ...options, account })
    const judged = await submit()
    if (!isTimeRejection(judged)) return judged
    return (await this.time.correct()) ? submit() : judged
  }

  /**
   * Sends a public call of the gateway itself.
   * @param endsOrders as in RequestContext: without the exchange's time no cancel can be signed
   * @param jobClass its place in the queue; ahead of all orders when they depend on its result
   */
  async sendOwn(
    call: UpstreamCall,
    onSent?: () => void,
    endsOrders = false,
    jobClass: 'lookup' | 'market' = 'lookup',
  ): Promise<JudgedResponse> {
    const { response } = await this.#deps.lane.submit({
      clientId: OWN_CLIENT_ID,
      jobClass,
      label: { requestId: OWN_CLIENT_ID, method: call.method, endpoint: call.path },
      shareKey: responseKeyOf(call, null),
      endsOrders,
      run: (slot) =>
        this.signAndSend(undefined, call, null, {
          ...slot,
          onSent() {
            onSent?.()
            slot.onSent()
          },
        }),
    })
    return response
  }

  /**
   * The keys to sign a call with; null when it needs none.
   * @throws ExchangeKeysMissingError, ExchangeKeysUnreadableError
   */
  async openKeys(
    { clientRef, readSinceMs }: RequestContext,
    call: UpstreamCall,
  ): Promise<OpenKeys | null> {
    return call.signed ? this.#deps.keys.open(clientRef, this.exchange, readSinceMs) : null
  }

  /**
   * The account of a client's keys, as `accountRefOf`: it changes when they are replaced by keys
   * that may be of another account.
   */
  accountRefOf({ clientRef, readSinceMs }: KeysOwner): Promise<number> {
    return this.#deps.keys.accountRefOf(clientRef, this.exchange, readSinceMs)
  }

  /**
   * The kind of a client's account; null while it is unknown, and where the exchange has one kind.
   * @throws ExchangeKeysMissingError
   */
  accountKindOf({ clientRef, readSinceMs }: KeysOwner): Promise<AccountKind | null> {
    return this.#deps.keys.accountKindOf(clientRef, this.exchange, readSinceMs)
  }

  /**
   * Makes calls in the form for the kind of the client's account. When the exchange rejects one
   * because the account is of the other kind, which proves that it did nothing, the calls are made
   * once more, in the other form.
   * @param calls may run twice
   */
  async inAccountKind<T>(
    context: RequestContext,
    calls: (kind: AccountKind | null) => Promise<T>,
  ): Promise<T> {
    try {
      return await calls(await this.accountKindOf(context))
    } catch (error) {
      if (!isRejectedAs(error, 'account-kind')) throw error
      return calls(await this.accountKindOf(context))
    }
  }

  /** Signs, sends and judges a call. It runs in a slot, when everything is ready. */
  signAndSend(
    context: RequestContext | undefined,
    call: UpstreamCall,
    keys: CallInSlot['keys'],
    slot: Slot,
    { raw = false, ...signing }: SigningOptions = {},
  ): Promise<JudgedResponse> {
    return signAndSend(this.#deps, { call, context, keys, slot, raw, ...signing })
  }

  /** As `QueueWait.forTurn`. */
  waitForTurn(context: RequestContext, turn: Promise<unknown>): Promise<void> {
    return this.#wait.forTurn(turn, context)
  }

  async #submit(
    context: RequestContext,
    call: UpstreamCall,
    options: AccountOptions,
  ): Promise<JudgedResponse> {
    const { lane, transport, time } = this.#deps
    const { timings } = context
    const submittedAtMs = time.monotonic()
    // Opens a connection while the call waits. The call itself reports a connection that cannot be
    // opened.
    transport.warm(call.family).catch(() => {})
    try {
      const job = this.#jobOf(context, call, options)
      const { response: judged, queueWaitMs, shared } = await lane.submit(job)
      addQueueMs(timings, queueWaitMs)
      addUpstreamMs(timings, judged.response.upstreamMs)
      timings.shared ||= shared
      return judged
    } catch (cause) {
      const add = mayHaveBeenSent(cause) ? addUpstreamMs : addQueueMs
      add(timings, time.monotonic() - submittedAtMs)
      throw cause
    }
  }

  #jobOf(
    context: RequestContext,
    call: UpstreamCall,
    options: AccountOptions,
  ): Job<JudgedResponse> {
    const { jobClass, account, raw = false, inSlot, onQueued, order } = options
    const { requestId, method, endpoint, clientId, clientRef, signal, endsOrders = false } = context
    const openAndSend: InSlot = async (slot, now) =>
      this.signAndSend(now, call, await this.openKeys(now, call), slot, { raw })
    const { readSinceMs: _, ...anew } = context
    let inItsSlot: RequestContext = anew
    return {
      clientId,
      jobClass,
      account,
      isSigned: call.signed,
      label: { requestId, method, endpoint, ...(order === undefined ? {} : { order }) },
      run: (slot) => (inSlot ?? openAndSend)(slot, inItsSlot),
      maxWaitMs: this.#wait.leftMs(context),
      ...(endsOrders ? { endsOrders } : {}),
      ...(context.byAdmin === true
        ? {}
        : {
            lateCheckError: async () => {
              // One reading serves the check and the keys.
              inItsSlot = { ...context, readSinceMs: performance.now() }
              const error = await this.#check.errorOf(inItsSlot, call)
              return error ?? options.lateCheckError?.(inItsSlot)
            },
          }),
      ...(signal === undefined ? {} : { signal }),
      ...(onQueued === undefined ? {} : { onQueued }),
      // A response that was judged without keeping digits cannot serve a caller that reads them.
      ...(isRead(jobClass)
        ? { shareKey: `${raw ? 'raw ' : ''}${responseKeyOf(call, call.signed ? clientRef : null)}` }
        : {}),
    }
  }
}

/** The client id under which the gateway's own calls are queued: for clocks and symbol rules. */
const OWN_CLIENT_ID = 'sluice'

/** Whether a call that failed may have reached the exchange. */
export function mayHaveBeenSent(error: unknown): boolean {
  return error instanceof Error && 'sent' in error && error.sent === true
}
