import { parseLossless } from '../../src/exchanges/protocol/lossless.ts'
import { isRecord } from '../../src/exchanges/protocol/untrusted.ts'
import { type BotClient, signIn } from './clients.ts'
import type { Intent } from './intent.ts'
import { readTryResult } from './try-result.ts'
import type { Result, World } from './world.ts'

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
