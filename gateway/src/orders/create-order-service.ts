import type { ExchangeCode } from 'schema'
import { passOverDamage } from '../store/damage.ts'
import type { FactStore } from '../store/fact-store.ts'
import type { JournalRow, JournalStore } from '../store/journal-store.ts'
import type { Exchanges } from '../upstream/create-upstreams.ts'
import type { OperatorLog } from '../upstream/operator-log.ts'
import { createKillSwitch } from './kill-switch.ts'
import { createPlaceOnce, type PlaceOnceDeps, type TradeRequest } from './place-order.ts'
import { createReconciler, type ReconcilerDeps } from './reconcile.ts'
import { recoverJournal } from './recover.ts'

type End = Parameters<NonNullable<PlaceOnceDeps['onEnd']>>[1] | 'resolved'

export interface OrdersDeps
  extends Pick<ReconcilerDeps, 'callerPausesMs' | 'backgroundPausesMs' | 'toAnswer' | 'nowMs'>,
    Pick<PlaceOnceDeps, 'requireLog'> {
  readonly journal: JournalStore
  readonly facts: Pick<FactStore, 'get' | 'set'>
  readonly exchanges: Pick<Exchanges, 'clocks' | 'lanes' | 'relays'>
  readonly log: OperatorLog
  /** None of these may throw. */
  readonly onEnd: (exchange: ExchangeCode, end: End) => void
  readonly onUnknown: (order: TradeRequest | JournalRow) => void
  readonly onResolved: ReconcilerDeps['onResolved']
}

/** What places orders once: brings the journal to the truth first, and stops again what a person had stopped. */
export async function openOrders(deps: OrdersDeps) {
  const { journal, facts, exchanges, toAnswer, nowMs, log, onEnd, onUnknown, onResolved } = deps
  const { clocks, lanes, relays } = exchanges
  const { callerPausesMs, backgroundPausesMs } = deps
  const reconciler = createReconciler({
    journal,
    relays,
    clocks,
    toAnswer,
    nowMs,
    onResolved: (row, outcome) => {
      const { id, exchange, clientId } = row
      onEnd(exchange, 'resolved')
      onResolved(row, outcome)
      log.warn({ requestId: id, exchange, clientId, outcome }, 'unknown order outcome resolved')
    },
    onError: (error, { id, exchange }) =>
      log.warn({ err: error, requestId: id, exchange }, 'order not looked up yet'),
    ...(callerPausesMs === undefined ? {} : { callerPausesMs }),
    ...(backgroundPausesMs === undefined ? {} : { backgroundPausesMs }),
  })
  const placeOnce = createPlaceOnce({
    journal,
    reconciler,
    requireLog: deps.requireLog,
    toAnswer,
    onJournalFailure: (error, id) =>
      log.error({ err: error, requestId: id }, 'the outcome of an order could not be recorded'),
    onEnd: (request, state) => {
      onEnd(request.exchange, state)
      if (state === 'unknown') onUnknown(request)
    },
    nowMs,
    exchangeNowMs: (exchange) => clocks[exchange].nowMs(),
  })
  const killSwitch = createKillSwitch({ facts, lanes })
  await killSwitch.restore()
  const recovered = await recoverJournal({ journal, reconciler, toAnswer, nowMs, onUnknown }).catch(
    passOverDamage,
  )
  if (recovered !== undefined && recovered.dropped + recovered.sent > 0)
    log.warn(
      recovered,
      'the last stop left orders: queued ones were not sent, sent ones are being looked up',
    )

  return {
    placeOnce,
    killSwitch,
    /** Asks no more, and waits until every order that runs is written down. */
    async close(): Promise<void> {
      await reconciler.close()
      await placeOnce.idle()
    },
  }
}
export type Orders = Awaited<ReturnType<typeof openOrders>>
