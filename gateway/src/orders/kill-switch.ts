import { EXCHANGE_NAMES, EXCHANGES, type ExchangeCode } from 'schema'
import { eachExchange } from '../exchanges/exchange.ts'
import type { Lane } from '../lane/lane-types.ts'
import type { NewAuditEntry } from '../store/audit-chain.ts'
import { NotOwnerError } from '../store/errors.ts'
import { type FactStore, stoppedFact } from '../store/fact-store.ts'
import type { Time } from '../time.ts'
import type { JudgedResponse } from '../upstream/sign-and-send.ts'
import { StopNotKeptError } from './errors.ts'
import { RetryingWriter } from './retrying-writer.ts'

/** What is stored of a stop or of its end: with the audit entries, all or nothing. */
interface StoredStop {
  /** Empty for none. */
  readonly reason: string
  readonly entries: readonly NewAuditEntry[]
}

/** Stops an exchange and stores the stop: a restart must not resume what a person stopped. */
export function createKillSwitch({
  facts,
  lanes,
  time,
  retryMs,
}: {
  readonly facts: Pick<FactStore, 'get' | 'set'>
  readonly lanes: Readonly<Record<ExchangeCode, Pick<Lane<JudgedResponse>, 'stop' | 'resume'>>>
  readonly time: Pick<Time, 'setTimeout'>
  /** The pause between two attempts to store a stop; 1 s when absent. */
  readonly retryMs?: number | undefined
}) {
  let fence: number | undefined
  const reasons = new RetryingWriter<StoredStop>({
    write: (name, { reason, entries }) => facts.set(name, reason, entries, fence),
    ...{ time, retryMs },
  })
  /** How often each exchange was stopped. */
  const stops = eachExchange(() => ({ count: 0 }))

  /** With the entries of stops that could not be stored yet, which this replaces. */
  function toStored(
    exchange: ExchangeCode,
    reason: string,
    entry: NewAuditEntry | undefined,
  ): StoredStop {
    const unwritten = reasons.pending(stoppedFact(exchange))?.entries ?? []
    return { reason, entries: entry === undefined ? unwritten : [...unwritten, entry] }
  }

  return {
    /**
     * Stops the exchanges again that were stopped before the restart.
     * @param startedUnder the number under which this node is the owner, in a group
     */
    async restore(startedUnder?: number): Promise<void> {
      fence = startedUnder
      for (const exchange of EXCHANGES) {
        const reason = await facts.get(stoppedFact(exchange))
        if (reason !== undefined && reason !== '') lanes[exchange].stop(reason)
      }
    },

    /**
     * Stops the lane first: even when the disk fails, nothing more is sent.
     * @throws StopNotKeptError when the stop could not be stored; this is retried until it succeeds
     * @throws NotOwnerError: the next owner would not know of the stop
     */
    async stop(exchange: ExchangeCode, reason: string, entry?: NewAuditEntry): Promise<void> {
      stops[exchange].count += 1
      lanes[exchange].stop(reason)
      try {
        await reasons.write(stoppedFact(exchange), toStored(exchange, reason, entry))
      } catch (cause) {
        if (cause instanceof NotOwnerError) throw cause
        throw new StopNotKeptError(EXCHANGE_NAMES[exchange], { cause })
      }
    },

    /**
     * A stop that comes while this is being written down wins.
     * @throws StoreUnwritableError, NotOwnerError
     */
    async resume(exchange: ExchangeCode, entry?: NewAuditEntry): Promise<void> {
      const { count } = stops[exchange]
      await reasons.writeOnce(stoppedFact(exchange), toStored(exchange, '', entry))
      if (stops[exchange].count === count) lanes[exchange].resume()
    },

    close: () => reasons.close(),
  }
}
export type KillSwitch = ReturnType<typeof createKillSwitch>
