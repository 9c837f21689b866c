import { EXCHANGE_NAMES, EXCHANGES, type ExchangeCode } from 'schema'
import { eachExchange } from '../exchanges/each-exchange.ts'
import type { Lane } from '../lane/lane-types.ts'
import type { FactStore } from '../store/fact-store.ts'
import type { JudgedResponse } from '../upstream/judged-response.ts'
import { StopNotKeptError } from './errors.ts'
import { RetryingWriter } from './retrying-writer.ts'

export interface KillSwitchDeps {
  readonly facts: Pick<FactStore, 'get' | 'set'>
  readonly lanes: Readonly<Record<ExchangeCode, Pick<Lane<JudgedResponse>, 'stop' | 'resume'>>>
  /** The pause between two attempts to store a stop; 1 s when absent. */
  readonly retryMs?: number | undefined
}

/** Stops an exchange and stores the stop: a restart must not resume what a person stopped. */
export function createKillSwitch({ facts, lanes, retryMs }: KillSwitchDeps) {
  const reasons = new RetryingWriter<string>({
    write: (name, reason) => facts.set(name, reason),
    retryMs,
  })
  /** How often each exchange was stopped. */
  const stops = eachExchange(() => ({ count: 0 }))

  return {
    /** Stops the exchanges again that were stopped before the restart. */
    async restore(): Promise<void> {
      for (const exchange of EXCHANGES) {
        const reason = await facts.get(nameOf(exchange))
        if (reason !== undefined && reason !== '') lanes[exchange].stop(reason)
      }
    },

    /**
     * Stops the lane first: even when the disk fails, nothing more is sent.
     * @throws StopNotKeptError when the stop could not be stored; this is retried until it succeeds
     */
    async stop(exchange: ExchangeCode, reason: string): Promise<void> {
      stops[exchange].count += 1
      lanes[exchange].stop(reason)
      try {
        await reasons.write(nameOf(exchange), reason)
      } catch (cause) {
        throw new StopNotKeptError(EXCHANGE_NAMES[exchange], { cause })
      }
    },

    /** A stop that comes while this is being written down wins. @throws StoreUnwritableError */
    async resume(exchange: ExchangeCode): Promise<void> {
      const { count } = stops[exchange]
      await reasons.writeOnce(nameOf(exchange), '')
      if (stops[exchange].count === count) lanes[exchange].resume()
    },

    close: () => reasons.close(),
  }
}
export type KillSwitch = ReturnType<typeof createKillSwitch>

/** The fact that stores a stop; an empty text means not stopped. */
function nameOf(exchange: ExchangeCode): string {
  return `stopped.${exchange}`
}
