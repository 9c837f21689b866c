import { EXCHANGE_NAMES, EXCHANGES, type ExchangeCode } from 'schema'
import { eachExchange } from '../exchanges/exchange.ts'
import { readRules, rulesCall } from '../exchanges/public-data.ts'
import { notSent } from '../lane/errors.ts'
import { createLane } from '../lane/lane.ts'
import { createLaneTime } from '../lane/lane-time.ts'
import type { LaneOptions } from '../lane/lane-types.ts'
import type { ClientStore } from '../store/client-store.ts'
import { NotOwnerError } from '../store/errors.ts'
import type { Time } from '../time.ts'
import type { ClientKeys } from './client-keys.ts'
import type { ExchangeClock } from './clock.ts'
import type { Events } from './events.ts'
import { KeptResponses } from './responses.ts'
import { createRulesCache } from './rules-cache.ts'
import { type JudgedResponse, toLaneVerdict } from './sign-and-send.ts'
import { createTransport, type TransportOptions } from './transport.ts'
import { Upstream } from './upstream.ts'

/**
 * The most jobs that may wait for one exchange. At 2 per second, the limit of the wait applies much
 * earlier.
 */
const QUEUE_LENGTH_MAX = 10_000
/** The share of the queue that one client may fill. */
const CLIENT_SHARE = 0.1
/** Opening keys and writing the journal take 2 to 6 ms. */
const LEAD_MS = 8
/** Order books and histories are a few hundred kilobytes at most. */
const RESPONSE_BYTES_MAX = 8 * 1024 * 1024

export interface UpstreamsDeps {
  readonly transport: Pick<TransportOptions, 'origins' | 'timeoutMs'>
  readonly pace: Pick<
    LaneOptions<JudgedResponse>,
    'ratePerSecond' | 'concurrency' | 'maxQueueWaitMs'
  >
  /** The pause before a lane's first call; absent: the lane's default. */
  readonly startDelayMs: number | undefined
  /** Another gate for the lanes, for tests. */
  readonly lanePace: LaneOptions<JudgedResponse>['pace'] | undefined
  /**
   * Whether this process may send to the exchanges now. It is asked right before the first byte of
   * each call. Absent: it always may.
   */
  readonly maySend: (() => boolean) | undefined
  readonly clocks: Readonly<Record<ExchangeCode, ExchangeClock>>
  readonly keys: ClientKeys
  readonly clients: Pick<ClientStore, 'find'>
  readonly time: Time
  readonly events: Events
}

/**
 * Creates what leads to each exchange: its lane, its upstream, and the cache of its symbol rules.
 */
export function createUpstreams(deps: UpstreamsDeps) {
  const { transport: to, pace, clocks, events, time } = deps
  const transport = createTransport({ ...to, maxResponseBytes: RESPONSE_BYTES_MAX, time })
  const lanes = createLanes(deps, (exchange) => void upstreams[exchange].time.probe())
  const kept = new KeptResponses(time, events)
  const upstreams = eachExchange(
    (exchange) =>
      new Upstream({
        ...{ exchange, lane: lanes[exchange], transport, clock: clocks[exchange] },
        ...{ kept, keys: deps.keys, clients: deps.clients, time, events },
        maxQueueWaitMs: pace.maxQueueWaitMs,
        clientWaitingMax: QUEUE_LENGTH_MAX * CLIENT_SHARE,
      }),
  )
  const rules = createRulesCache({
    fetch: async (key, jobClass) => {
      const upstream = upstreams[key.exchange]
      const { verdict } = await upstream.sendOwn(rulesCall(key), undefined, false, jobClass)
      return readRules(key, verdict)
    },
    nowMs: () => time.monotonic(),
    onStale: (key, ageMs, error) => events.emit('rulesNotRefreshed', { key, ageMs, error }),
  })

  return {
    clocks,
    lanes,
    upstreams,
    rules,

    /** Measures each exchange's clock, so that the first request need not wait for that. */
    async measureClocks(): Promise<void> {
      await Promise.all(EXCHANGES.map((exchange) => upstreams[exchange].time.sync()))
    },

    /** Begins the pause before each lane's first call: another process may have sent calls. */
    restartLanes(): void {
      for (const exchange of EXCHANGES) lanes[exchange].restart()
    },

    /**
     * Rejects queued requests, and waits for sent ones for at most `graceMs`.
     * @param isOver whether another process takes the queued requests over
     */
    async closeLanes(graceMs: number, isOver: boolean): Promise<void> {
      const toError = isOver ? notOwner : undefined
      await Promise.all(EXCHANGES.map((exchange) => lanes[exchange].close(graceMs, toError)))
    },

    /** Closes the connections. Call it once nothing is sent any more. */
    close: () => transport.close(),
  }
}
export type Upstreams = ReturnType<typeof createUpstreams>

/** @param probe sends a call of the gateway's own: it shows whether the exchange is down */
function createLanes(
  { pace, startDelayMs, lanePace, maySend, events, time }: UpstreamsDeps,
  probe: (exchange: ExchangeCode) => void,
) {
  const laneTime = createLaneTime(time)
  return eachExchange((exchange) =>
    createLane<JudgedResponse>({
      ...pace,
      ...(startDelayMs === undefined ? {} : { startDelayMs }),
      ...(lanePace === undefined ? {} : { pace: lanePace }),
      name: EXCHANGE_NAMES[exchange],
      maxQueueLength: QUEUE_LENGTH_MAX,
      clientShare: CLIENT_SHARE,
      leadMs: LEAD_MS,
      ...(maySend === undefined ? {} : { heldBack: () => (maySend() ? undefined : notOwner()) }),
      judge: toLaneVerdict,
      time: laneTime,
      random: Math.random,
      probe: () => probe(exchange),
      onEvent: (event) => events.emit('lane', { exchange, event }),
      onDispatch: (dispatch) => events.emit('dispatch', { exchange, dispatch }),
    }),
  )
}

const notOwner = () => notSent(new NotOwnerError())
