import { EXCHANGE_NAMES, type ExchangeCode, type StreamState } from 'schema'
import type { ClientStore } from '../store/client-store.ts'
import type { FeedFacts, GatewayEvents } from '../upstream/events.ts'
import type { AlertBoard } from './alert-board.ts'

/** A reconnect takes some seconds, and the exchange may be in maintenance for a minute. */
const DOWN_MS = 60_000
/** The reads that close a gap wait for everything else in the queue. */
const GAP_MS = 5 * 60_000

const STREAM_ALERTS = ['stream.down', 'stream.refused', 'stream.gap'] as const
type StreamAlert = (typeof STREAM_ALERTS)[number]

/** A feed that the gateway keeps. */
interface Watched {
  facts: FeedFacts
  state: StreamState['state']
  /** Since when the state is `gap`; undefined in other states. */
  downSinceMs: number | undefined
  /** Since when events may be missing; undefined: it is live. */
  gapSinceMs: number | undefined
  reason: string
  /** What the exchange said when it refused the keys. */
  refusal: string | undefined
}

interface Found {
  readonly feeds: readonly Watched[]
  readonly sinceMs: number
}

interface StreamAlertsDeps {
  readonly board: Pick<AlertBoard, 'nowMs' | 'raise' | 'clear' | 'raised'>
  readonly clients: Pick<ClientStore, 'find'>
  readonly onError: (error: unknown) => void
}

/**
 * Watches the account streams that the gateway keeps. All feeds of one account share one alert of
 * each type. Its subject is exchange/client, with the oldest client of the account.
 */
export class StreamAlerts {
  readonly #deps: StreamAlertsDeps
  readonly #watched = new Map<string, Watched>()

  constructor(deps: StreamAlertsDeps) {
    this.#deps = deps
  }

  /** A feed was opened. */
  begun(facts: FeedFacts): void {
    this.#of(facts)
  }

  stateChanged({ state, reason, ...facts }: Omit<StateChange, 'before' | 'beforeMs'>): void {
    const feed = this.#of(facts)
    const nowMs = this.#deps.board.nowMs()
    feed.state = state
    if (reason !== null) feed.reason = reason
    // The reads start only now. Until now, `stream.down` was raised.
    const wasDown = state === 'reconciling' && isFor(feed.downSinceMs, DOWN_MS, nowMs)
    feed.downSinceMs = state === 'gap' ? (feed.downSinceMs ?? nowMs) : undefined
    feed.gapSinceMs = state === 'live' ? undefined : ((wasDown ? null : feed.gapSinceMs) ?? nowMs)
    if (state === 'gap') return
    feed.refusal = undefined
    this.#checkSoon()
  }

  /** Only a refusal because of the keys raises an alert: others are tried again soon. */
  refused({ isKey, message, ...facts }: GatewayEvents['streamLoginRefused']): void {
    const feed = this.#of(facts)
    if (!isKey) return
    feed.refusal = message
    this.#checkSoon()
  }

  /** The feed is not needed any more. */
  closed(facts: FeedFacts): void {
    this.#watched.delete(nameOf(facts))
    this.#checkSoon()
  }

  /** Called every minute. */
  async check(): Promise<void> {
    const { board } = this.#deps
    const accounts = [...Map.groupBy(this.#watched.values(), ({ facts }) => accountOf(facts))]
    const named = await Promise.all(
      accounts.map(async ([account, [first]]) => [account, await this.#namesOf(first)] as const),
    )
    // No await from here on: the feeds must not change.
    const namesOf = new Map(named)
    const raised = new Set<string>()
    for (const [account, feeds] of accounts) {
      const names = namesOf.get(account) ?? []
      const subject = `${account.split(' ')[0]}/${names[0]}`
      for (const type of STREAM_ALERTS) {
        const found = findIn(type, feeds.filter(this.#isWatched), board.nowMs())
        if (found === undefined || names.length === 0) continue
        raised.add(`${type} ${subject}`)
        this.#raise(type, subject, names, found)
      }
    }
    for (const type of STREAM_ALERTS)
      for (const { subject } of board.raised(type))
        if (!raised.has(`${type} ${subject}`)) board.clear(type, subject, CLEARED[type])
  }

  readonly #isWatched = (feed: Watched) => this.#watched.get(nameOf(feed.facts)) === feed

  #of(facts: FeedFacts): Watched {
    const nowMs = this.#deps.board.nowMs()
    const begun = { state: 'gap', downSinceMs: nowMs, gapSinceMs: nowMs } as const
    const known = this.#watched.get(nameOf(facts))
    const feed = known ?? { facts, ...begun, reason: 'starting', refusal: undefined }
    // Clients come and go while the account stays.
    feed.facts = facts
    this.#watched.set(nameOf(facts), feed)
    return feed
  }

  #checkSoon(): void {
    this.check().catch(this.#deps.onError)
  }

  async #namesOf(feed: Watched | undefined): Promise<string[]> {
    const refs = feed?.facts.clients.toSorted((a, b) => a - b) ?? []
    const rows = await Promise.all(refs.map((ref) => this.#deps.clients.find(ref)))
    return rows.flatMap((row) => (row === undefined ? [] : [row.clientId]))
  }

  #raise(type: StreamAlert, subject: string, names: readonly string[], found: Found): void {
    const [first] = found.feeds
    if (first === undefined) return
    const { exchange } = first.facts
    const reason = type === 'stream.refused' ? (first.refusal ?? '') : first.reason
    this.#deps.board.raise(type, subject, WORDS[type](exchange, names, reason), {
      ...{ exchange, clients: names.join(', '), reason },
      feeds: found.feeds.map(({ facts }) => facts.feed).join(', '),
      since: new Date(found.sinceMs).toISOString(),
    })
  }
}

type StateChange = GatewayEvents['streamState']

const accountOf = ({ exchange, accountRef }: FeedFacts) => `${exchange} ${accountRef}`
const nameOf = (facts: FeedFacts) => `${accountOf(facts)} ${facts.feed}`

/** The feeds of an account that raise an alert now; undefined: none. */
function findIn(type: StreamAlert, feeds: readonly Watched[], nowMs: number): Found | undefined {
  const found = feeds.filter((feed) => isTrue(type, feed, nowMs))
  if (found.length === 0) return undefined
  const since = ({ downSinceMs, gapSinceMs }: Watched) =>
    (type === 'stream.down' ? downSinceMs : gapSinceMs) ?? nowMs
  return { feeds: found, sinceMs: Math.min(...found.map(since)) }
}

/** A feed raises only one alert: a refused feed is also down, and a feed that is down has a gap. */
function isTrue(type: StreamAlert, feed: Watched, nowMs: number): boolean {
  if (feed.refusal !== undefined) return type === 'stream.refused' && feed.gapSinceMs !== undefined
  const isDown = isFor(feed.downSinceMs, DOWN_MS, nowMs)
  if (type === 'stream.down') return isDown
  return type === 'stream.gap' && !isDown && isFor(feed.gapSinceMs, GAP_MS, nowMs)
}

const isFor = (sinceMs: number | undefined, ms: number, nowMs: number) =>
  sinceMs !== undefined && nowMs - sinceMs >= ms

const whose = (exchange: ExchangeCode, names: readonly string[]) =>
  `the account stream of ${names.map((name) => `"${name}"`).join(', ')} at ${EXCHANGE_NAMES[exchange]}`

const WORDS: Readonly<
  Record<StreamAlert, (exchange: ExchangeCode, names: readonly string[], why: string) => string>
> = {
  'stream.down': (exchange, names, why) =>
    `For over a minute, no events have come from ${whose(exchange, names)}: ${why}. Orders still work; bots get events late, from reads. Check the connection to the exchange's WebSocket: npm run doctor tries it`,
  'stream.refused': (exchange, names, why) =>
    `The exchange refuses the login of ${whose(exchange, names)}: ${why}. Test the keys at the console, and store new ones if the test fails. The gateway signs in again when a test accepts them, and every 15 minutes`,
  'stream.gap': (exchange, names) =>
    `For over five minutes the reads that close a gap of ${whose(exchange, names)} have not succeeded: its bots may have missed events. The log has the reason; the reads need free slots in the queue`,
}

const CLEARED: Readonly<Record<StreamAlert, string>> = {
  'stream.down': 'The account stream is connected again, or not needed any more',
  'stream.refused':
    'The exchange accepts the login again, or the account stream is not needed any more',
  'stream.gap': 'The gap is closed, or the account stream is not needed any more',
}
