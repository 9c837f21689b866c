import { EXCHANGE_NAMES, EXCHANGES, type ExchangeCode } from 'schema'
import type { Lane } from '../lane/lane-types.ts'
import type { FactStore } from '../store/fact-store.ts'
import type { JudgedResponse } from '../upstream/judged-response.ts'
import { StopNotKeptError } from './errors.ts'
import { RetryingWriter } from './retrying-writer.ts'

export interface KillSwitchDeps {
  readonly facts: Pick<FactStore, 'get' | 'set'>
  readonly lanes: Readonly<Record<ExchangeCode, Pick<Lane<JudgedResponse>, 'stop' | 'resume'>>>
  /** Between two attempts to write down a stop; 1 s when absent. */
  readonly retryMs?: number | undefined
}

/** Stops an exchange and remembers it: a restart must not resume what a person stopped. */
export function createKillSwitch({ facts, lanes, retryMs }: KillSwitchDeps) {
  const reasons = new RetryingWriter<string>({
    write: (name, reason) => facts.set(name, reason),
    retryMs,
  })

  return {
    /** Stops again what was stopped before the restart. */
    async restore(): Promise<void> {
      for (const exchange of EXCHANGES) {
        const reason = await facts.get(nameOf(exchange))
        if (reason !== undefined && reason !== '') lanes[exchange].stop(reason)
      }
    },

    /**
     * The lane stops first: whatever the disk does, nothing more is sent.
     * @throws StopNotKeptError when it could not be written down; that is tried again until it can
     */
    async stop(exchange: ExchangeCode, reason: string): Promise<void> {
      lanes[exchange].stop(reason)
      try {
        await reasons.write(nameOf(exchange), reason)
      } catch (cause) {
        throw new StopNotKeptError(EXCHANGE_NAMES[exchange], { cause })
      }
    },

    /** @throws StoreUnwritableError */
    async resume(exchange: ExchangeCode): Promise<void> {
      await reasons.writeOnce(nameOf(exchange), '')
      lanes[exchange].resume()
    },

    close: () => reasons.close(),
  }
}
export type KillSwitch = ReturnType<typeof createKillSwitch>

/** Under which name a stop is kept; empty text means not stopped. */
function nameOf(exchange: ExchangeCode): string {
  return `stopped.${exchange}`
}
