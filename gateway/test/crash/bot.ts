import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Caller } from './caller.ts'
import {
  cancelIntent,
  type Habit,
  type Intent,
  modifyIntent,
  placeIntent,
  placeKinds,
} from './intent.ts'
import { isFinal, type TryResult } from './try-result.ts'
import { between, chance, pick, type Result, type World } from './world.ts'

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
    return {
      idempotencyKey: hasKey ? randomUUID() : null,
      isAsync: hasKey && chance(random, 0.2),
    }
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
   * Tries until the bot knows, or may not try again, or has tried enough for now.
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
export type Bot = ReturnType<typeof createBot>

function isProvenNotSent({ kind }: TryResult): boolean {
  return kind === 'not-sent' || kind === 'signed-out'
}
