import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { EXCHANGES, type ExchangeCode, STREAM_KINDS, STREAM_STATES } from 'schema'
import {
  type OpenStreams,
  STREAM_ENDS,
  type StreamEndReason,
  type StreamKind,
} from '../../http/open-streams.ts'
import type { Events, FeedFacts, GatewayEvents } from '../../upstream/events.ts'

/** Seconds: one process adds a few ms to what the network takes. */
const DELAY_BUCKETS = [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]
const GAP_BUCKETS = [0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900, 3600]
const DROPPED = ['late', 'duplicate', 'unreadable'] as const
const SOURCES = ['stream', 'rest'] as const
const TYPES = ['order', 'fill', 'position', 'balance'] as const

/** The account streams from the exchanges, and the streams of bots. */
export function createStreamMetrics(registry: Registry) {
  const feeds = createFeedMetrics(registry)
  const bots = createBotMetrics(registry)
  const registers = [registry]
  const delays = new Histogram({
    name: 'sluice_stream_delay_seconds',
    help: 'Delay of events of accounts: part exchange, from the time of the exchange until the gateway received them; part gateway, from then until they were written to the connection of a bot; part whole, both',
    labelNames: ['exchange', 'part'] as const,
    buckets: DELAY_BUCKETS,
    registers,
  })
  return {
    ...feeds,
    ...bots,

    published(events: GatewayEvents['streamEvents']): void {
      const { source, exchange, lagMs } = events
      feeds.counted(events)
      // An event that is read after a gap is late because of the gap.
      if (lagMs !== null && source === 'stream') observe(exchange, 'exchange', lagMs)
    },

    /**
     * An event was written to the connection of a bot.
     * @param wholeMs since the exchange's time; null where it gives none
     */
    written(exchange: ExchangeCode, gatewayMs: number, wholeMs: number | null): void {
      observe(exchange, 'gateway', gatewayMs)
      if (wholeMs !== null) observe(exchange, 'whole', wholeMs)
    },
  }

  function observe(exchange: ExchangeCode, part: 'exchange' | 'gateway' | 'whole', ms: number) {
    // Clocks differ by some ms: a delay is never negative.
    delays.observe({ exchange, part }, Math.max(0, ms) / 1000)
  }
}
export type StreamMetrics = ReturnType<typeof createStreamMetrics>

function createFeedMetrics(registry: Registry) {
  const of = registerFeedMetrics(registry)
  for (const exchange of EXCHANGES)
    for (const type of TYPES)
      for (const source of SOURCES) of.events.inc({ exchange, type, source }, 0)
  /** The state of each feed that the gateway keeps. */
  const known = new Map<string, Pick<GatewayEvents['streamState'], 'feed' | 'state'>>()
  const gapMs = new Map<string, number>()
  const seen = new Set<string>()

  /** A series that appears with its first count has not increased, as Prometheus sees it. */
  function see(facts: FeedFacts): void {
    const { feed } = facts
    if (!known.has(nameOf(facts))) known.set(nameOf(facts), { feed, state: 'gap' })
    if (seen.has(feed)) return
    seen.add(feed)
    for (const counter of [of.dials, of.refused, of.gaps]) counter.inc({ feed }, 0)
    for (const why of DROPPED) of.dropped.inc({ feed, why }, 0)
  }

  return {
    dialled(facts: FeedFacts): void {
      see(facts)
      of.dials.inc({ feed: facts.feed })
    },

    refused(facts: FeedFacts): void {
      see(facts)
      of.refused.inc({ feed: facts.feed })
    },

    unreadable: ({ feed }: FeedFacts) => of.dropped.inc({ feed, why: 'unreadable' }),

    stateChanged({ state, before, beforeMs, ...facts }: GatewayEvents['streamState']): void {
      see(facts)
      const { feed } = facts
      const name = nameOf(facts)
      known.set(name, { feed, state })
      if (before === 'live' && state !== 'live') of.gaps.inc({ feed })
      if (before !== 'live') gapMs.set(name, (gapMs.get(name) ?? 0) + beforeMs)
      if (state !== 'live') return
      of.closing.observe({ feed }, (gapMs.get(name) ?? 0) / 1000)
      gapMs.delete(name)
    },

    closed(facts: FeedFacts): void {
      known.delete(nameOf(facts))
      gapMs.delete(nameOf(facts))
    },

    counted(events: GatewayEvents['streamEvents']): void {
      const { feed, exchange, source, published, dropped } = events
      for (const type of TYPES)
        if (published[type] > 0) of.events.inc({ exchange, type, source }, published[type])
      // A read always has known events. Only dropped pushes are counted.
      if (source !== 'stream') return
      of.dropped.inc({ feed, why: 'duplicate' }, dropped.duplicates)
      of.dropped.inc({ feed, why: 'late' }, dropped.late)
    },

    /** Sets the gauge to the present states of the feeds. */
    refreshFeeds(): void {
      of.states.reset()
      for (const feed of seen) for (const state of STREAM_STATES) of.states.set({ feed, state }, 0)
      for (const { feed, state } of known.values()) of.states.inc({ feed, state })
    },
  }
}

const nameOf = ({ exchange, accountRef, feed }: FeedFacts) => `${exchange} ${accountRef} ${feed}`

function registerFeedMetrics(registry: Registry) {
  const registers = [registry]
  const counter = <Label extends string>(name: string, help: string, labelNames: Label[]) =>
    new Counter({ name, help, labelNames, registers })
  return {
    states: new Gauge({
      name: 'sluice_feeds',
      help: 'Account streams from the exchanges that the gateway keeps, by state',
      labelNames: ['feed', 'state'] as const,
      registers,
    }),
    dials: counter('sluice_feed_dials_total', 'WebSockets dialled for account streams', ['feed']),
    refused: counter(
      'sluice_feed_logins_refused_total',
      'Logins of account streams that the exchange refused',
      ['feed'],
    ),
    gaps: counter('sluice_feed_gaps_total', 'How often an account stream left the state live', [
      'feed',
    ]),
    closing: new Histogram({
      name: 'sluice_feed_gap_seconds',
      help: 'From the start of a gap until reads closed it',
      labelNames: ['feed'] as const,
      buckets: GAP_BUCKETS,
      registers,
    }),
    dropped: counter(
      'sluice_feed_dropped_total',
      'Pushes that no bot got: events that were late or already known, and frames that could not be read',
      ['feed', 'why'],
    ),
    events: counter(
      'sluice_stream_events_total',
      'Events of accounts that were stored and published to streams, by source',
      ['exchange', 'type', 'source'],
    ),
  }
}

function createBotMetrics(registry: Registry) {
  const registers = [registry]
  const open = new Gauge({
    name: 'sluice_streams_open',
    help: 'Open streams of bots',
    labelNames: ['kind'] as const,
    registers,
  })
  const passed = new Gauge({
    name: 'sluice_streams_passed',
    help: 'Open streams of bots that this gateway passes to the owner, which counts them as open',
    labelNames: ['kind'] as const,
    registers,
  })
  const ended = new Counter({
    name: 'sluice_streams_ended_total',
    help: 'Streams of bots that ended, by why; slow: the bot did not read them',
    labelNames: ['kind', 'why'] as const,
    registers,
  })
  for (const kind of STREAM_KINDS) for (const why of STREAM_ENDS) ended.inc({ kind, why }, 0)
  return {
    streamEnded: (kind: StreamKind, why: StreamEndReason) => ended.inc({ kind, why }),

    refreshStreams(streams: Pick<OpenStreams, 'count'>): void {
      for (const kind of STREAM_KINDS) {
        open.set({ kind }, streams.count(kind, 'here'))
        passed.set({ kind }, streams.count(kind, 'passed-on'))
      }
    },
  }
}

/** Subscribes the metrics of streams to the events. */
export function measureStreams(events: Pick<Events, 'on'>, streams: StreamMetrics): void {
  events.on('streamDialled', streams.dialled)
  events.on('streamLoginRefused', streams.refused)
  events.on('streamUnreadable', streams.unreadable)
  events.on('streamState', streams.stateChanged)
  events.on('streamClosed', streams.closed)
  events.on('streamEvents', streams.published)
}
