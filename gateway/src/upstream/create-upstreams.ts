import { EXCHANGE_NAMES, EXCHANGES, type ExchangeCode } from 'schema'
import { eachExchange } from '../exchanges/each-exchange.ts'
import { readRules, rulesCall } from '../exchanges/symbol-rules.ts'
import { createLane } from '../lane/lane.ts'
import { createLaneTime } from '../lane/lane-time.ts'
import type { Dispatch, LaneEvent, LaneOptions } from '../lane/lane-types.ts'
import type { ClientStore } from '../store/client-store.ts'
import type { CallReport } from './call-report.ts'
import type { ClientKeys } from './client-keys.ts'
import type { ExchangeClock } from './clock.ts'
import { type Delivery, judgeDelivery } from './delivery.ts'
import type { OperatorLog } from './operator-log.ts'
import { createRelay } from './relay.ts'
import { createRulesCache } from './rules-cache.ts'
import { createTransport, type TransportOptions } from './transport.ts'

/** Jobs that may wait for one exchange; the wait itself is bounded much earlier at 2 per second. */
const QUEUE_LENGTH_MAX = 10_000
/** What one client may hold of it. */
const CLIENT_SHARE = 0.1
/** Opening keys and writing the journal take 2 to 6 ms. */
const LEAD_MS = 8
/** Order books and histories are a few hundred kilobytes at most. */
const ANSWER_BYTES_MAX = 8 * 1024 * 1024

export interface ExchangesDeps {
  readonly upstream: Pick<TransportOptions, 'origins' | 'timeoutMs'>
  readonly pace: Pick<LaneOptions<Delivery>, 'ratePerSecond' | 'concurrency' | 'maxQueueWaitMs'>
  /** Quiet before a lane's first call; the lane's own default unless told. */
  readonly startDelayMs: number | undefined
  /** Another time and another gate for the lanes, for tests. */
  readonly laneParts: Partial<Pick<LaneOptions<Delivery>, 'time' | 'pace'>> | undefined
  readonly clocks: Readonly<Record<ExchangeCode, ExchangeClock>>
  readonly keys: ClientKeys
  readonly clients: Pick<ClientStore, 'find'>
  readonly monotonicMs: () => number
  readonly log: OperatorLog
  /** None of these may throw. */
  readonly onLaneEvent: (exchange: ExchangeCode, event: LaneEvent) => void
  readonly onDispatch: (exchange: ExchangeCode, dispatch: Dispatch) => void
  readonly onCalled: (report: CallReport) => void
}

/** The way to each exchange: its lane, what goes through it, and the rules of its symbols. */
export function openExchanges(deps: ExchangesDeps) {
  const { upstream, pace, startDelayMs, clocks, keys, clients, monotonicMs, log } = deps
  const { onLaneEvent, onDispatch, onCalled } = deps
  const transport = createTransport({ ...upstream, maxAnswerBytes: ANSWER_BYTES_MAX })
  const time = deps.laneParts?.time ?? createLaneTime()
  const gate = deps.laneParts?.pace
  const lanes = eachExchange((exchange) =>
    createLane<Delivery>({
      ...pace,
      ...(startDelayMs === undefined ? {} : { startDelayMs }),
      ...(gate === undefined ? {} : { pace: gate }),
      name: EXCHANGE_NAMES[exchange],
      maxQueueLength: QUEUE_LENGTH_MAX,
      clientShare: CLIENT_SHARE,
      leadMs: LEAD_MS,
      judge: judgeDelivery,
      time,
      random: Math.random,
      onEvent: (event) => {
        logLaneEvent(log, event)
        onLaneEvent(exchange, event)
      },
      onDispatch: (dispatch) => onDispatch(exchange, dispatch),
    }),
  )
  const onUnmeasured = (exchange: ExchangeCode) => (error: unknown) =>
    log.warn({ err: error, exchange }, 'exchange clock not measured')
  const relays = eachExchange((exchange) =>
    createRelay({
      exchange,
      lane: lanes[exchange],
      maxQueueWaitMs: pace.maxQueueWaitMs,
      clientWaitingMax: QUEUE_LENGTH_MAX * CLIENT_SHARE,
      transport,
      clock: clocks[exchange],
      keys,
      clients,
      monotonicMs,
      onUnmeasured: onUnmeasured(exchange),
      onCalled,
    }),
  )
  const rules = createRulesCache({
    fetch: async (key) =>
      readRules(key, (await relays[key.exchange].sendOwn(rulesCall(key))).verdict),
    nowMs: monotonicMs,
    onStale: (key, ageMs, error) =>
      log.warn({ err: error, ...key, ageMs }, 'symbol rules could not be refreshed'),
  })

  return {
    clocks,
    lanes,
    relays,
    rules,

    /** Asks each exchange for its time, so that the first request need not wait for that. */
    measureClocks(): void {
      for (const exchange of EXCHANGES)
        relays[exchange].measureClock().catch(onUnmeasured(exchange))
    },

    /** Answers what waits, and waits for what was sent, `graceMs` at most. */
    async closeLanes(graceMs: number): Promise<void> {
      await Promise.all(EXCHANGES.map((exchange) => lanes[exchange].close(graceMs)))
    },

    /** Ends the connections; once nothing asks any more. */
    close: () => transport.close(),
  }
}
export type Exchanges = ReturnType<typeof openExchanges>

function logLaneEvent(log: OperatorLog, event: LaneEvent): void {
  if (event.type === 'fault') log.error({ err: event.error, lane: event.lane }, 'lane fault')
  else log.warn(event, `lane ${event.type}`)
}
