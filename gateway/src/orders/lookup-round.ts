import { randomUUID } from 'node:crypto'
import type { AccountKind, ExchangeCode } from 'schema'
import type { UpstreamCall } from '../exchanges/exchange.ts'
import type { Verdict } from '../exchanges/protocol/verdict.ts'
import type { JobClass } from '../lane/job.ts'
import type { ClientStore } from '../store/client-store.ts'
import type { ExchangeClock } from '../upstream/clock.ts'
import { createTimings, type RequestContext } from '../upstream/request-context.ts'
import type { Upstream } from '../upstream/upstream.ts'

/** Questions to an exchange about several orders of one client: the same one is asked once. */
export interface Round {
  readonly kind: AccountKind | null
  readonly exchangeNowMs: number
  /** The exchange gave no clear answer to a call of the round. */
  readonly isOut: () => boolean
  /** The exchange gave what every call of the round asked for. */
  readonly isComplete: () => boolean
  /** Sends a call, or returns the verdict of the same call from earlier in the round. */
  readonly ask: (call: UpstreamCall) => Promise<Verdict>
}

export interface RoundDeps {
  readonly upstreams: Readonly<
    Record<ExchangeCode, Pick<Upstream, 'send' | 'accountRefOf' | 'accountKindOf'>>
  >
  readonly clocks: Readonly<Record<ExchangeCode, Pick<ExchangeClock, 'nowMs'>>>
}

/** @param jobClass the place of its calls in the queue */
export async function startRound(
  { upstreams, clocks }: RoundDeps,
  context: RequestContext,
  exchange: ExchangeCode,
  jobClass: JobClass,
): Promise<Round> {
  const upstream = upstreams[exchange]
  const verdicts = new Map<string, Verdict>()
  return {
    isOut: () => [...verdicts.values()].some(isUnanswered),
    isComplete: () => [...verdicts.values()].every(({ kind }) => kind === 'ok'),
    kind: await upstream.accountKindOf(context),
    exchangeNowMs: clocks[exchange].nowMs(),
    async ask(call) {
      const name = JSON.stringify(call)
      const verdict =
        verdicts.get(name) ?? (await upstream.send(context, call, { jobClass })).verdict
      verdicts.set(name, verdict)
      return verdict
    },
  }
}

/** The exchange gave no clear answer. */
export function isUnanswered({ kind }: Verdict): boolean {
  return kind === 'unknown' || kind === 'rate-limited'
}

/** For what the gateway asks by itself for a client; undefined when the client was deleted. */
export async function contextOf(
  clients: Pick<ClientStore, 'find'>,
  clientRef: number,
  endpoint: string,
): Promise<RequestContext | undefined> {
  const client = await clients.find(clientRef)
  if (client === undefined) return undefined
  return {
    ...{ requestId: randomUUID(), method: 'GET', endpoint },
    ...{ clientRef, clientId: client.clientId, byAdmin: true },
    timings: createTimings(),
  }
}
