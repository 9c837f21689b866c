import { randomUUID } from 'node:crypto'
import type { ExchangeCode } from 'schema'
import type { KeyCheck } from '../exchanges/adapter.ts'
import type { Family } from '../exchanges/exchange.ts'
import { checkKey, keysOf } from '../exchanges/keys.ts'
import { isRejectedAs, isRejection } from '../exchanges/protocol/rejection.ts'
import { readTime, timeCall } from '../exchanges/public-data.ts'
import { adapters } from '../exchanges/registry.ts'
import type { ApiKeyListRow, ApiKeyStore } from '../store/api-key-store.ts'
import type { FactStore } from '../store/fact-store.ts'
import { runRegularly, type Time } from '../time.ts'
import { createTimings } from '../upstream/request-context.ts'
import type { Upstream } from '../upstream/upstream.ts'
import type { FeedFound, FeedTrials } from './try-feeds.ts'

/** What a command may ask a running gateway to ask an exchange. Nothing else can be asked. */
export type ExchangeQuestion =
  /** Its time. */
  | { readonly kind: 'time'; readonly family: Family }
  /** What stored keys may do. */
  | { readonly kind: 'key'; readonly keyId: number }
  /** Whether the private WebSockets of their account can be opened. */
  | { readonly kind: 'feeds'; readonly keyId: number }

export type QuestionFound = TimeFound | KeyCheck | readonly FeedFound[]

/** What came of an exchange's response to a question for its time. */
export interface TimeFound {
  readonly status: number
  readonly upstreamMs: number
  /** How far its clock is ahead of the machine that asked; null when it did not tell the time. */
  readonly aheadMs: number | null
}

/** A question in the database. */
export type PutQuestion = ExchangeQuestion & {
  readonly id: string
  /** By then the command has given up. Unix ms, by the clock of its machine. */
  readonly untilMs: number
}

/** What a gateway says of a question in the database. */
export type QuestionState = { readonly id: string } & (
  | { readonly state: 'queued' }
  | { readonly state: 'done'; readonly found: QuestionFound }
  | { readonly state: 'failed'; readonly why: CallFailure }
)

export interface CallFailure {
  readonly message: string
  /** The innermost cause: a code of the system, such as ENOTFOUND. */
  readonly cause: string
  /** The queue let no call through: nothing is known of the exchange. */
  readonly isUnasked: boolean
  /** It is about these keys: other keys can be asked about. */
  readonly isOfTheKey: boolean
}

/** The fact with the question of a command, as JSON; an empty text: there is none. */
export const QUESTION_FACT = 'exchange_question'
/** The fact with what the gateway says of it. */
export const QUESTION_STATE_FACT = 'exchange_question_state'

/** How often a gateway looks whether a command has a question. */
const LOOK_EVERY_MS = 1_000
/** How often it and the command look while a command asks one question after another. */
export const LOOK_AGAIN_MS = 50
/** How long after a question the next one is looked for that often. */
const AWAKE_MS = 2_000

export interface ServeCommandsDeps {
  readonly facts: Pick<FactStore, 'get' | 'set'>
  readonly apiKeys: Pick<ApiKeyStore, 'list'>
  readonly upstreams: Readonly<
    Record<ExchangeCode, Pick<Upstream, 'ask' | 'inAccountKind' | 'sendOwn'>>
  >
  readonly feedTrials: Pick<FeedTrials, 'try'>
  readonly time: Pick<Time, 'now' | 'monotonic' | 'setTimeout' | 'sleep'>
  /** Called at the first failure after a success. It must not throw. */
  readonly onError: (error: unknown) => void
}

/**
 * Asks the exchanges what commands beside this gateway want to know, so that every call has a slot.
 * The questions are in the database: a command finds the gateway that sends wherever that one runs,
 * and everyone with write access to the database can ask. Call it only where this process sends to
 * the exchanges.
 * @returns a function that stops it
 */
export function serveCommands(deps: ServeCommandsDeps): () => void {
  const server = new CommandServer(deps)
  let hasFailed = false
  return runRegularly(
    async (signal) => {
      await server.look(signal)
      hasFailed = false
    },
    {
      ...{ firstAfterMs: LOOK_EVERY_MS, everyMs: LOOK_EVERY_MS, time: deps.time },
      onError(error) {
        if (!hasFailed) deps.onError(error)
        hasFailed = true
      },
    },
  )
}

class CommandServer {
  readonly #deps: ServeCommandsDeps
  #lastId: string | undefined

  constructor(deps: ServeCommandsDeps) {
    this.#deps = deps
  }

  /** Deals with a question, if there is one, and with those that follow it soon. */
  async look(signal: AbortSignal): Promise<void> {
    const { time } = this.#deps
    let awakeUntilMs = Number.NEGATIVE_INFINITY
    for (;;) {
      const question = await this.#openQuestion()
      if (question !== undefined) {
        await this.#serve(question, signal)
        awakeUntilMs = time.monotonic() + AWAKE_MS
      }
      if (signal.aborted || time.monotonic() >= awakeUntilMs) return
      await time.sleep(LOOK_AGAIN_MS, { signal, ref: false })
    }
  }

  /** The question that a command waits for, and that no gateway has dealt with. */
  async #openQuestion(): Promise<PutQuestion | undefined> {
    const { facts, time } = this.#deps
    const question = readFact<PutQuestion>(await facts.get(QUESTION_FACT))
    if (question === undefined || question.id === this.#lastId) return undefined
    // Of a command that was killed, or of another version, which gives no time.
    if (!(question.untilMs > time.now())) return undefined
    const known = readFact<QuestionState>(await facts.get(QUESTION_STATE_FACT))
    // A gateway that has put it into its queue may have ended before the call.
    if (known?.id !== question.id || known.state === 'queued') return question
    this.#lastId = question.id
    return undefined
  }

  async #serve(question: PutQuestion, signal: AbortSignal): Promise<void> {
    const { id } = question
    await this.#say({ id, state: 'queued' })
    const said = await this.#ask(question, signal).then(
      (found) => ({ id, state: 'done', found }) as const,
      (error: unknown) => ({ id, state: 'failed', why: failureOf(error) }) as const,
    )
    // The next owner asks.
    if (signal.aborted) return
    // Even when the reply cannot be stored, the exchange is not asked again.
    this.#lastId = id
    await this.#say(said)
  }

  #say(state: QuestionState): Promise<void> {
    return this.#deps.facts.set(QUESTION_STATE_FACT, JSON.stringify(state))
  }

  async #ask(question: PutQuestion, signal: AbortSignal): Promise<QuestionFound> {
    if (question.kind === 'time') return this.#askTime(question.family)
    if (question.kind === 'key') return this.#askAboutKey(question.keyId, signal)
    if (question.kind === 'feeds')
      return this.#deps.feedTrials.try(await this.#rowOf(question.keyId), signal)
    throw new Error('This gateway does not know the question: its version differs')
  }

  async #askTime(family: Family): Promise<TimeFound> {
    const { upstreams, time } = this.#deps
    const upstream = upstreams[adapters.of(family).code]
    const { response } = await upstream.sendOwn(timeCall(family), undefined, false, 'market')
    return timeFound(family, response, time.now())
  }

  async #rowOf(keyId: number): Promise<ApiKeyListRow> {
    const row = (await this.#deps.apiKeys.list()).find(({ id }) => id === keyId)
    if (row === undefined) throw new Error('These keys were deleted or replaced in the meantime')
    return row
  }

  async #askAboutKey(keyId: number, signal: AbortSignal): Promise<KeyCheck> {
    const { upstreams } = this.#deps
    const row = await this.#rowOf(keyId)
    const { exchange, clientRef, clientId } = row
    const upstream = upstreams[exchange]
    const protocol = keysOf(exchange)
    const { method, path: endpoint } = protocol.check(row.accountKind)
    const context = {
      ...{ requestId: randomUUID(), method, endpoint },
      ...{ clientRef, clientId, signal },
      byAdmin: true,
      timings: createTimings(),
    }
    return upstream.inAccountKind(context, (kind) =>
      checkKey(protocol, kind, (call) => upstream.ask(context, call, (data) => data)),
    )
  }
}

/** What a response to `timeCall` says. @param nowMs when it came, by the clock of this machine */
export function timeFound(
  family: Family,
  response: Parameters<typeof readTime>[1],
  nowMs: number,
): TimeFound {
  const { status, upstreamMs } = response
  const timeMs = readTime(family, response)
  const aheadMs = timeMs === undefined ? null : timeMs + upstreamMs / 2 - nowMs
  return { status, upstreamMs, aheadMs }
}

/** What the other side wrote; undefined when it wrote nothing, or what cannot be read. */
export function readFact<T extends { readonly id: string }>(
  text: string | undefined,
): T | undefined {
  if (text === undefined || text === '') return undefined
  try {
    const fact = JSON.parse(text)
    return typeof fact?.id === 'string' ? fact : undefined
  } catch {
    return undefined // The side that wrote it gets no reply, and says so.
  }
}

const OF_THE_KEY: ReadonlySet<unknown> = new Set([
  ...['EXCHANGE_KEYS_MISSING', 'EXCHANGE_KEYS_UNREADABLE', 'EXCHANGE_ACCOUNT_UNAVAILABLE'],
])

export function failureOf(error: unknown): CallFailure {
  if (!(error instanceof Error)) return { message: String(error), cause: '', ...OF_ALL }
  const code = 'code' in error ? error.code : undefined
  const isUnsent = 'sent' in error && error.sent === false
  return {
    message: error.message,
    cause: innermostCause(error),
    isUnasked: isUnsent && code !== 'EXCHANGE_UNREACHABLE',
    isOfTheKey: OF_THE_KEY.has(code) || (isRejection(error) && !isRejectedAs(error, 'rate')),
  }
}
const OF_ALL = { isUnasked: false, isOfTheKey: false }

function innermostCause(error: Error): string {
  if (error.cause instanceof Error) return innermostCause(error.cause)
  return 'code' in error ? `${String(error.code)} (${error.message})` : error.message
}
