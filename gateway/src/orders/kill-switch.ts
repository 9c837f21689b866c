import { EXCHANGE_NAMES, EXCHANGES, type ExchangeCode } from 'schema'
import type { Lane } from '../lane/lane-types.ts'
import type { FactStore } from '../store/fact-store.ts'
import type { Delivery } from '../upstream/delivery.ts'
import { createTurns } from '../upstream/in-turn.ts'
import { StopNotKeptError } from './errors.ts'

export interface KillSwitchDeps {
  readonly facts: Pick<FactStore, 'get' | 'set'>
  readonly lanes: Readonly<Record<ExchangeCode, Pick<Lane<Delivery>, 'stop' | 'resume'>>>
  /** Between two tries to write down a stop that could not be; 1 s unless told. */
  readonly retryMs?: number | undefined
}

/** Stops an exchange and remembers it: a restart must not resume what a person stopped. */
export function createKillSwitch({ facts, lanes, retryMs = 1_000 }: KillSwitchDeps) {
  const nameOf = (exchange: ExchangeCode) => `stopped.${exchange}`
  const inTurn = createTurns()
  const owed = new Map<ExchangeCode, string>()
  let timer: NodeJS.Timeout | undefined

  const keep = (exchange: ExchangeCode, reason: string): Promise<void> =>
    inTurn(exchange, async () => {
      await facts.set(nameOf(exchange), reason)
      owed.delete(exchange)
    })

  function tryAgain(): void {
    timer ??= setTimeout(async () => {
      for (const exchange of [...owed.keys()]) await inTurn(exchange, () => payOff(exchange))
      timer = undefined
      if (owed.size > 0) tryAgain()
    }, retryMs).unref()
  }

  async function payOff(exchange: ExchangeCode): Promise<void> {
    const reason = owed.get(exchange)
    if (reason === undefined) return // Let go meanwhile.
    try {
      await facts.set(nameOf(exchange), reason)
      owed.delete(exchange)
    } catch {
      // Whoever stopped it was told; it is owed until it is written.
    }
  }

  return {
    /** Stops again what was stopped before the restart. */
    async restore(): Promise<void> {
      for (const exchange of EXCHANGES) {
        const reason = await facts.get(nameOf(exchange))
        if (reason !== undefined && reason !== '') lanes[exchange].stop(reason)
      }
    },

    /**
     * The lane stops first: whatever the disk does, nothing more goes out.
     * @throws StopNotKeptError when it could not be written down; that is tried again until it can
     */
    async stop(exchange: ExchangeCode, reason: string): Promise<void> {
      lanes[exchange].stop(reason)
      try {
        await keep(exchange, reason)
      } catch (cause) {
        owed.set(exchange, reason)
        tryAgain()
        throw new StopNotKeptError(EXCHANGE_NAMES[exchange], { cause })
      }
    },

    /** @throws StoreUnwritableError */
    async resume(exchange: ExchangeCode): Promise<void> {
      await keep(exchange, '')
      lanes[exchange].resume()
    },

    close: () => clearTimeout(timer),
  }
}
export type KillSwitch = ReturnType<typeof createKillSwitch>
