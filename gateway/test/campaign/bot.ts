import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PaperExchange } from '../../paper-exchange/src/paper-exchange.ts'
import { parseLossless } from '../../src/exchanges/protocol/lossless.ts'
import { isRecord, textOf } from '../../src/exchanges/protocol/untrusted.ts'
import { ownErrorOf } from '../support/call.ts'
import { type BotClient, signIn } from './clients.ts'
import {
  cancelIntent,
  type Habit,
  type Intent,
  modifyIntent,
  placeIntent,
  placeKinds,
} from './intent.ts'

/** What the bots of a run share. */
export interface World {
  readonly paper: PaperExchange
  /** Where the gateway is; waits while it is down. */
  url(): Promise<string>
  readonly random: () => number
  /** A price that no other order has. */
  nextPrice(): string
  /** Whether the database may lose orders that were only accepted: PostgreSQL crashes. */
  readonly mayForget?: boolean
  /** Records the result of a try. */
  note(intent: Intent, result: Result): void
  /** True from when bots begin nothing new. */
  readonly isWindingUp: () => boolean
  /** Whether the database was restored: the gateway does not know each request any more. */
  readonly wasRestored: () => boolean
}

/** What one try showed the bot, and the requests that it belongs to. */
export type Result = TryResult & {
  /** Of the request itself; absent without a response. */
  readonly requestId?: string | undefined
  /** The process that received the request; absent when the result was asked for later. */
  readonly from?: string | undefined
  /** Of the first request with the key, which the journal has. */
  readonly journalId?: string | undefined
}

/** One bot's intent and its results, in order. */
export interface Story {
  readonly clientId: string
  readonly intent: Intent
  readonly results: Result[]
}

/** True with this probability. */
export const chance = (random: () => number, probability: number) => random() < probability

/** A whole number from `min` up to `max`. */
export const between = (random: () => number, min: number, max: number) =>
  Math.floor(min + random() * (max - min + 1))

/** One of them. @throws when there is none */
export function pick<T>(random: () => number, values: readonly T[]): T {
  const value = values[Math.floor(random() * values.length)]
  if (value === undefined) throw new RangeError('There is nothing to pick from')
  return value
}

const TRIES_AT_ONCE = 6
/** Longer than the gateway takes for anything. */
const CALM_PATIENCE_MS = 60_000
/**
 * MEXC accepts 4 futures orders in 2 s from one account, and the gateway pauses when none is left.
 */
const FUTURES_PAUSE_MS = 700

/**
 * A bot that places orders, changes and cancels some, and retries as docs/outcomes.md says: with
 * the same key after everything except a final response, without a key only what was not sent.
 * @param makesChanges false where an order may be changed in place, so that its mark is lost
 * @param isCalm whether it waits for each response as long as it takes
 */
export function createBot(
  caller: Caller,
  world: World,
  { makesChanges, isCalm }: { readonly makesChanges: boolean; readonly isCalm: boolean },
) {
  const { random } = world
  const unfinished: Intent[] = []
  let lastFuturesMs = 0

  function habit(): Habit {
    const hasKey = chance(random, 0.8)
    return { idempotencyKey: hasKey ? randomUUID() : null, isAsync: hasKey && chance(random, 0.2) }
  }

  /** One try and its result; some tries are given up after moments. */
  async function attempt(intent: Intent): Promise<Result> {
    const isMexcFutures = intent.kind === 'mx-futures' || intent.kind === 'mx-raw'
    if (isMexcFutures && intent.action === 'place') await keepFuturesPace()
    const isImpatient = !isCalm && !world.isWindingUp() && chance(random, 0.1)
    let result = isImpatient
      ? await caller.submit(intent, between(random, 3, 60))
      : await caller.submit(intent, isCalm ? CALM_PATIENCE_MS : undefined)
    world.note(intent, result)
    for (let asks = 0; result.kind === 'accepted' && asks < 20; asks += 1) {
      await sleep(between(random, 20, 80))
      const response = await caller.ask(intent, result.location)
      if (response === undefined) continue
      result = response
      world.note(intent, result)
    }
    return result
  }

  async function keepFuturesPace(): Promise<void> {
    const waitMs = lastFuturesMs + FUTURES_PAUSE_MS - performance.now()
    if (waitMs > 0) await sleep(waitMs)
    lastFuturesMs = performance.now()
  }

  /**
   * Tries until the bot knows, may not try again, or has no try left.
   * @param isUnknownEnough whether an unknown outcome is an end as well
   */
  async function carryOut(intent: Intent, isUnknownEnough = false): Promise<Result> {
    let result: Result = { kind: 'nothing' }
    for (let tries = 0; tries < TRIES_AT_ONCE; tries += 1) {
      result = await attempt(intent)
      if (result.kind === 'not-sent' && !result.isRetryable) return result
      const mayRetry = intent.idempotencyKey !== null || isProvenNotSent(result)
      const isEnough = isUnknownEnough && result.kind === 'unknown'
      if (isFinal(result) || !mayRetry || isEnough) return result
      await sleep(between(random, 20, 200))
    }
    unfinished.push(intent)
    return result
  }

  function draw(placed: { intent: Intent; orderId: string } | undefined): Intent {
    if (placed !== undefined && chance(random, 0.4)) {
      const { kind } = placed.intent
      return kind === 'bg-futures' && makesChanges && chance(random, 0.5)
        ? modifyIntent(kind, placed.orderId, world.nextPrice(), habit())
        : cancelIntent(kind, placed.orderId, habit())
    }
    return placeIntent(pick(random, placeKinds), world.nextPrice(), chance(random, 0.5), habit())
  }

  return {
    /** Works until the run winds up. */
    async work(): Promise<void> {
      let placed: { intent: Intent; orderId: string } | undefined
      while (!world.isWindingUp()) {
        const intent = draw(placed)
        const result = await carryOut(intent)
        placed =
          result.kind === 'done' && intent.action === 'place' && !intent.isChange
            ? { intent, orderId: result.orderId }
            : undefined
        await sleep(between(random, 0, 60))
      }
    },

    /**
     * Retries what is not known yet until it is known or the time is over.
     * @param mayStayUnknown what is given up when it is unknown once more
     */
    async finish(signal: AbortSignal, mayStayUnknown: (intent: Intent) => boolean): Promise<void> {
      while (unfinished.length > 0 && !signal.aborted)
        for (const intent of unfinished.splice(0)) {
          if (signal.aborted) return
          await carryOut(intent, mayStayUnknown(intent))
        }
    },

    /** Asks once more for what is known to be done. */
    repeat: (intent: Intent) => attempt(intent),
  }
}

function isProvenNotSent({ kind }: TryResult): boolean {
  return kind === 'not-sent' || kind === 'signed-out'
}

/** The longest that a bot waits for a response. */
const PATIENCE_MS = 6_000

/**
 * Calls the gateway in a bot's name: signs in when it has to, and treats a broken connection as no
 * response.
 */
export function createCaller(
  client: BotClient,
  { url, wasRestored, mayForget = false }: Pick<World, 'url' | 'wasRestored' | 'mayForget'>,
) {
  let authorization: string | undefined

  async function send(path: string, init: RequestInit, patienceMs: number) {
    try {
      const base = await url()
      authorization ??= (await signIn(base, client)).authorization
      const response = await fetch(`${base}${path}`, {
        ...init,
        headers: { 'content-type': 'application/json', authorization, ...init.headers },
        signal: AbortSignal.timeout(patienceMs),
      })
      const text = await response.text()
      if (response.status === 401) authorization = undefined
      return { from: base, status: response.status, headers: response.headers, body: parse(text) }
    } catch {
      // The process was killed, or this bot's patience is over: which of the two, a bot cannot
      // know.
      return undefined
    }
  }

  return {
    /** Tries once. */
    async submit(intent: Intent, patienceMs = PATIENCE_MS): Promise<Result> {
      const { path, body, idempotencyKey, isAsync } = intent
      const response = await send(
        path,
        {
          method: 'POST',
          body: JSON.stringify(body),
          headers: {
            ...(idempotencyKey === null ? {} : { 'idempotency-key': `"${idempotencyKey}"` }),
            ...(isAsync ? { prefer: 'respond-async' } : {}),
          },
        },
        patienceMs,
      )
      if (response === undefined) return { kind: 'nothing' }
      const location = response.headers.get('location')
      const requestId = response.headers.get('x-request-id') ?? undefined
      const journalId = location === null ? requestId : idIn(location)
      const result =
        response.status === 202 && location !== null
          ? ({ kind: 'accepted', location } as const)
          : readTryResult(intent, response.status, response.body)
      return { ...result, requestId, journalId, from: response.from }
    },

    /** Reads the state of an asynchronous request; undefined while it has no outcome. */
    async ask(intent: Intent, location: string): Promise<Result | undefined> {
      const asked = await send(location, { method: 'GET' }, PATIENCE_MS)
      if (asked === undefined) return undefined
      if (asked.status === 404 && mayForget) return undefined
      if (asked.status === 404)
        return wasRestored()
          ? { kind: 'nothing' }
          : { kind: 'unclear', text: `${location} responded with 404` }
      if (asked.status !== 200 || !isRecord(asked.body)) return undefined
      const { answer, state } = asked.body
      if (!isRecord(answer)) return state === 'unknown' ? { kind: 'unknown' } : undefined
      const result = readTryResult(intent, Number(answer.statusCode), answer.body)
      return { ...result, requestId: idIn(location), journalId: idIn(location) }
    },
  }
}
export type Caller = ReturnType<typeof createCaller>

const idIn = (location: string) => location.split('/').at(-1)

/** Digits as they came: an order id does not fit a double. */
function parse(text: string): unknown {
  return parseLossless(text)?.value ?? text
}

/** What one try showed the bot. */
export type TryResult =
  /** The connection broke, or the bot gave up waiting. */
  | { readonly kind: 'nothing' }
  /** Accepted asynchronously; the response is to be read there. */
  | { readonly kind: 'accepted'; readonly location: string }
  | { readonly kind: 'done'; readonly orderId: string }
  /** Proven not to have reached the exchange, or not to have been taken. */
  | { readonly kind: 'not-sent'; readonly code: string; readonly isRetryable: boolean }
  | { readonly kind: 'not-done' }
  | { readonly kind: 'rejected'; readonly code: string }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'signed-out' }
  /** None of the responses in docs/outcomes.md. */
  | { readonly kind: 'unclear'; readonly text: string }

/** Reads a response as docs/outcomes.md says. */
export function readTryResult(intent: Intent, status: number, given: unknown): TryResult {
  const body = ownErrorOf(given)
  const outcome = isRecord(body) ? textOf(body.outcome) : undefined
  const code = (isRecord(body) ? textOf(body.code) : undefined) ?? `HTTP ${status}`
  if (outcome === 'not-sent')
    return { kind: 'not-sent', code, isRetryable: isRecord(body) && body.retryable === true }
  if (outcome === 'not-done') return { kind: 'not-done' }
  if (outcome === 'unknown') return { kind: 'unknown' }
  if (status === 401) return { kind: 'signed-out' }
  if (status >= 200 && status < 300) return readDone(intent, body)
  if (status >= 400 && status < 500) return { kind: 'rejected', code }
  return { kind: 'unclear', text: `${status} ${JSON.stringify(body)}` }
}

function readDone({ kind }: Intent, body: unknown): TryResult {
  const text = JSON.stringify(body)
  const isDone = isRecord(body) && (body.success === true || body.code === '00000')
  if (!isDone) {
    // The raw route passes on the exchange's own rejections, which MEXC futures sends with status
    // 200.
    if (kind === 'mx-raw' && isRecord(body) && body.success === false)
      return { kind: 'rejected', code: textOf(body.code) ?? '' }
    return { kind: 'unclear', text }
  }
  const data = isRecord(body.data) ? body.data : body
  const orderId = textOf(data.orderId) ?? textOf(body.data)
  return orderId === undefined ? { kind: 'unclear', text } : { kind: 'done', orderId }
}

/** True when the bot knows how it ended. */
export function isFinal({ kind }: TryResult): boolean {
  return kind === 'done' || kind === 'not-done' || kind === 'rejected'
}
