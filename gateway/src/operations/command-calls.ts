import { randomUUID } from 'node:crypto'
import { type AccountKind, EXCHANGE_NAMES, type ExchangeCode } from 'schema'
import type { Config } from '../config.ts'
import type { KeyCheck } from '../exchanges/adapter.ts'
import {
  type ExchangeKeys,
  eachExchange,
  type Family,
  type UpstreamCall,
  type UpstreamResponse,
} from '../exchanges/exchange.ts'
import { checkKey, keyDataOf, keysOf } from '../exchanges/keys.ts'
import { isRejectedAs } from '../exchanges/protocol/rejection.ts'
import { timeCall } from '../exchanges/public-data.ts'
import { adapters, feedsOf } from '../exchanges/registry.ts'
import { createLane } from '../lane/lane.ts'
import { createLaneTime } from '../lane/lane-time.ts'
import type { Lane } from '../lane/lane-types.ts'
import { lockCalls, openBeside } from '../store/create-stores.ts'
import type { CallsLock, StoresBeside } from '../store/stores.ts'
import { systemTime, type Time } from '../time.ts'
import { withoutSecrets } from '../upstream/redact-secrets.ts'
import { signCall } from '../upstream/sign-and-send.ts'
import { createTransport, type Transport } from '../upstream/transport.ts'
import {
  type CallFailure,
  type ExchangeQuestion,
  failureOf,
  LOOK_AGAIN_MS,
  type PutQuestion,
  QUESTION_FACT,
  QUESTION_STATE_FACT,
  type QuestionFound,
  type QuestionState,
  readFact,
  type TimeFound,
  timeFound,
} from './serve-commands.ts'
import { type FeedFound, tryFeed } from './try-feeds.ts'

const PATIENCE_MS = 10_000
const RESPONSE_BYTES_MAX = 1_048_576
/** Bitget allows the read of keys once per second and account, and clients can share an account. */
const RATE_PAUSE_MS = 1_100
/** A gateway that gets the right to send makes no call for this long. */
const GATEWAY_WAITS_MS = 1_000
/** A gateway that came and left between two looks so close together has sent nothing. */
const LOOKS_APART_MS = 900
/** How old the last look may be when the first byte goes: well below what a new gateway waits. */
const LOOK_AGE_MS = 300
const PAUSE_MS = 500
/** How long a gateway may take to find a question: also one that has just become the owner. */
const NOTICED_MS = 15_000

export interface CommandCallsDeps {
  /** The wall clock. */
  readonly nowMs: () => number
  /** The limit of one call; 10 s by default. */
  readonly timeoutMs?: number
  /** The time of the pace and of all waiting, for tests. */
  readonly time?: Time
}

/** A client's keys for an exchange, as plain text. Never print them. */
export interface StoredKey {
  readonly id: number
  readonly clientId: string
  readonly exchange: ExchangeCode
  readonly accountKind: AccountKind | null
  readonly keys: ExchangeKeys
}

type CommandConfig = Pick<Config, 'databaseUrl' | 'upstream' | 'sockets' | 'lane'>

/** What an exchange could not be asked, or did not tell. */
export class CallFailedError extends Error {
  readonly why: CallFailure

  constructor(why: CallFailure) {
    super(why.message)
    this.why = why
  }
}

/** A gateway that sends has come or gone: the call has to take the other way. */
class OtherWayError extends Error {}

/**
 * The calls of a command to the exchanges. Beside a gateway that sends, the gateway makes them, and
 * each has a slot in its lane. Otherwise the command makes them, in a lane of its own, and looks
 * right before each whether a gateway has started. So the pace holds for both together.
 */
export class CommandCalls {
  readonly #config: CommandConfig
  readonly #nowMs: () => number
  readonly #time: Time
  /** Of one call, and of opening a feed. */
  readonly #timeoutMs: number
  readonly #lock: CallsLock
  readonly #transport: Transport
  readonly #lanes: Readonly<Record<ExchangeCode, Lane<UpstreamResponse>>>
  /** How far the clocks of the exchanges are ahead of this machine's. */
  readonly #aheadMs = new Map<Family, number>()
  #stores: StoresBeside | undefined
  #lookedAtMs = Number.NEGATIVE_INFINITY
  #freeSinceMs = Number.POSITIVE_INFINITY

  /** @throws what lockCalls throws: then nothing may be sent */
  static async open(config: CommandConfig, deps: CommandCallsDeps): Promise<CommandCalls> {
    return new CommandCalls(config, deps, await lockCalls(config.databaseUrl))
  }

  private constructor(
    config: CommandConfig,
    { nowMs, timeoutMs = PATIENCE_MS, time = systemTime }: CommandCallsDeps,
    lock: CallsLock,
  ) {
    this.#config = config
    this.#nowMs = nowMs
    this.#time = time
    this.#lock = lock
    this.#timeoutMs = timeoutMs
    this.#transport = createTransport({
      ...{ origins: config.upstream, timeoutMs, maxResponseBytes: RESPONSE_BYTES_MAX },
    })
    this.#lanes = eachExchange((exchange) =>
      createLane<UpstreamResponse>({
        ...config.lane,
        name: EXCHANGE_NAMES[exchange],
        // One call after another, and each waits for that second before it.
        ...{ maxQueueLength: 10, clientShare: 1, startDelayMs: 0 },
        // The command itself judges what comes, and stops.
        judge: () => ({ kind: 'ok' }),
        time: createLaneTime(time),
        random: Math.random,
      }),
    )
  }

  /** Whether a gateway makes the calls now. */
  isGatewaySending(): Promise<boolean> {
    return this.#lock.isGatewaySending()
  }

  /** Asks for an exchange's time. @throws CallFailedError */
  timeOf(family: Family): Promise<TimeFound> {
    return this.#either<TimeFound>({ kind: 'time', family }, () => this.#askTime(family))
  }

  /** Asks an exchange what stored keys may do. @throws CallFailedError */
  check(key: StoredKey): Promise<KeyCheck> {
    return this.#either<KeyCheck>({ kind: 'key', keyId: key.id }, () => this.#checkKey(key))
  }

  /** Opens and closes the private WebSockets of stored keys. @throws CallFailedError */
  tryFeeds(key: StoredKey): Promise<readonly FeedFound[]> {
    return this.#either<readonly FeedFound[]>({ kind: 'feeds', keyId: key.id }, () =>
      this.#tryFeeds(key),
    )
  }

  async close(): Promise<void> {
    try {
      // A gateway that finds it later would ask for nobody.
      await this.#stores?.facts.set(QUESTION_FACT, '')
    } finally {
      await this.#stores?.close()
      await this.#transport.close()
      await this.#lock.close()
    }
  }

  async #either<T extends QuestionFound>(
    question: ExchangeQuestion,
    byItself: () => Promise<T>,
  ): Promise<T> {
    for (;;)
      try {
        if (!(await this.#lock.isGatewaySending())) return await byItself()
        // A result has the kind of its question.
        return (await this.#askGateway(question)) as T
      } catch (error) {
        if (error instanceof CallFailedError) throw error
        if (!(error instanceof OtherWayError)) throw new CallFailedError(failureOf(error))
      }
  }

  async #askGateway(question: ExchangeQuestion): Promise<QuestionFound> {
    this.#stores ??= await openBeside(this.#config.databaseUrl)
    const { facts } = this.#stores
    const id = randomUUID()
    // A check of keys is up to three calls.
    const longestMs = 3 * (this.#config.lane.maxQueueWaitMs + PATIENCE_MS)
    const put: PutQuestion = { id, untilMs: this.#nowMs() + longestMs, ...question }
    await facts.set(QUESTION_FACT, JSON.stringify(put))
    const askedAtMs = this.#time.monotonic()
    for (;;) {
      await this.#time.sleep(LOOK_AGAIN_MS)
      const said = readFact<QuestionState>(await facts.get(QUESTION_STATE_FACT))
      const state = said?.id === id ? said : undefined
      if (state?.state === 'done') return state.found
      if (state?.state === 'failed') throw new CallFailedError(state.why)
      if (!(await this.#lock.isGatewaySending())) throw new OtherWayError()
      const limitMs = state === undefined ? NOTICED_MS : longestMs
      if (this.#time.monotonic() - askedAtMs > limitMs) throw silent(limitMs)
    }
  }

  async #askTime(family: Family): Promise<TimeFound> {
    const response = await this.#send(timeCall(family), null)
    const found = timeFound(family, response, this.#nowMs())
    this.#aheadMs.set(family, found.aheadMs ?? 0)
    return found
  }

  async #checkKey({ exchange, accountKind, keys }: StoredKey): Promise<KeyCheck> {
    const check = (kind: AccountKind | null) =>
      checkKey(keysOf(exchange), kind, async (call) => {
        // Without the exchange's time, the machine's own clock may be good enough.
        if (!this.#aheadMs.has(call.family)) await this.#askTime(call.family)
        return keyDataOf(call, await this.#send(call, keys))
      })
    try {
      return await check(accountKind)
    } catch (error) {
      // The account is of the other kind, or was migrated since the gateway last saw it.
      if (isRejectedAs(error, 'account-kind'))
        return check(accountKind === 'unified' ? 'classic' : 'unified')
      if (!isRejectedAs(error, 'rate')) throw error
      await this.#time.sleep(RATE_PAUSE_MS)
      return check(accountKind)
    }
  }

  async #tryFeeds({ exchange, accountKind, keys }: StoredKey): Promise<readonly FeedFound[]> {
    const found: FeedFound[] = []
    // The feed of the other kind signs in too.
    for (const protocol of feedsOf(exchange, accountKind ?? 'classic')) {
      const { family } = protocol
      if (!this.#aheadMs.has(family)) await this.#askTime(family)
      const tried = await tryFeed({
        ...{ protocol, keys, origin: this.#config.sockets[family], time: this.#time },
        exchangeMs: () => this.#exchangeMs(family),
        call: async (call) => keyDataOf(call, await this.#send(call, keys)),
        withinMs: this.#timeoutMs,
      })
      found.push(tried)
    }
    return found
  }

  #exchangeMs(family: Family): number {
    return Math.round(this.#nowMs() + (this.#aheadMs.get(family) ?? 0))
  }

  /** Sends a call in a slot of the own lane. @throws OtherWayError when a gateway sends by now */
  async #send(call: UpstreamCall, keys: ExchangeKeys | null): Promise<UpstreamResponse> {
    const { family, method, path: endpoint } = call
    const { response } = await this.#lanes[adapters.of(family).code].submit({
      ...{ clientId: 'command', jobClass: 'account' },
      label: { requestId: 'command', method, endpoint },
      run: async (slot) => {
        await slot.opened()
        await this.#untilFree()
        const signed = signCall(call, keys, this.#exchangeMs(family))
        const heldBack = () =>
          this.#time.monotonic() - this.#lookedAtMs > LOOK_AGE_MS ? new OtherWayError() : undefined
        const response = await this.#transport.send(family, signed, { ...slot, heldBack })
        return keys === null ? response : withoutSecrets(response, keys, signed)
      },
    })
    return response
  }

  /**
   * Waits until no gateway has been able to send for a second.
   * @throws OtherWayError when one is
   */
  async #untilFree(): Promise<void> {
    for (;;) {
      const beforeMs = this.#time.monotonic()
      if (await this.#lock.isGatewaySending()) {
        this.#lookedAtMs = Number.NEGATIVE_INFINITY
        throw new OtherWayError()
      }
      if (beforeMs - this.#lookedAtMs > LOOKS_APART_MS) this.#freeSinceMs = this.#time.monotonic()
      this.#lookedAtMs = beforeMs
      if (beforeMs - this.#freeSinceMs >= GATEWAY_WAITS_MS) return
      await this.#time.sleep(PAUSE_MS)
    }
  }
}

function silent(forMs: number): Error {
  return new Error(
    `The running gateway did not ask within ${Math.round(forMs / 1000)} s: it is starting, hanging or of another version. This command asks nothing itself while it runs`,
  )
}
