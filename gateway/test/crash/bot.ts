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
import { isFinal, type Telling } from './telling.ts'
import { between, chance, pick, type World } from './world.ts'

const TRIES_AT_ONCE = 6
/** MEXC takes 4 futures orders in 2 s of one account, and the gateway rests when none is left. */
const FUTURES_PAUSE_MS = 700

/**
 * A bot that places orders, changes and cancels some, and retries as docs/outcomes.md tells it to: with the same key
 * after everything but a final answer, without a key only what was not sent.
 */
export function createBot(caller: Caller, world: World) {
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

  /** One try, with what it told; some tries are given up after moments. */
  async function attempt(intent: Intent): Promise<Telling> {
    const isMexcFutures = intent.kind === 'mx-futures' || intent.kind === 'mx-raw'
    if (isMexcFutures && intent.action === 'place') await keepFuturesPace()
    const isImpatient = !world.isWindingUp() && chance(random, 0.1)
    let telling = isImpatient
      ? await caller.submit(intent, between(random, 3, 60))
      : await caller.submit(intent)
    world.note(intent, telling)
    for (let asks = 0; telling.kind === 'accepted' && asks < 20; asks += 1) {
      await sleep(between(random, 20, 80))
      const answer = await caller.ask(intent, telling.location)
      if (answer === undefined) continue
      telling = answer
      world.note(intent, telling)
    }
    return telling
  }

  async function keepFuturesPace(): Promise<void> {
    const waitMs = lastFuturesMs + FUTURES_PAUSE_MS - performance.now()
    if (waitMs > 0) await sleep(waitMs)
    lastFuturesMs = performance.now()
  }

  /** Tries until the bot knows, or may not try again, or has tried enough for now. */
  async function carryOut(intent: Intent): Promise<Telling> {
    let telling: Telling = { kind: 'nothing' }
    for (let tries = 0; tries < TRIES_AT_ONCE; tries += 1) {
      telling = await attempt(intent)
      const mayRetry = intent.idempotencyKey !== null || isProvenNotSent(telling)
      if (isFinal(telling) || !mayRetry) return telling
      await sleep(between(random, 20, 200))
    }
    unfinished.push(intent)
    return telling
  }

  function draw(placed: { intent: Intent; orderId: string } | undefined): Intent {
    if (placed !== undefined && chance(random, 0.4)) {
      const { kind } = placed.intent
      return kind === 'bg-futures' && chance(random, 0.5)
        ? modifyIntent(placed.orderId, world.nextPrice(), habit())
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
        const telling = await carryOut(intent)
        placed =
          telling.kind === 'done' && intent.action === 'place' && !intent.isChange
            ? { intent, orderId: telling.orderId }
            : undefined
        await sleep(between(random, 0, 60))
      }
    },

    /** Goes on with what is not known yet until it is, or until the time is over. */
    async finish(signal: AbortSignal): Promise<void> {
      while (unfinished.length > 0 && !signal.aborted) {
        const intents = unfinished.splice(0)
        for (const intent of intents) if (!signal.aborted) await carryOut(intent)
      }
    },
  }
}
export type Bot = ReturnType<typeof createBot>

function isProvenNotSent({ kind }: Telling): boolean {
  return kind === 'not-sent' || kind === 'signed-out'
}
