import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  EXCHANGES,
  type FeedNow,
  listAccountStreams,
  listClientStreams,
  STREAM_STATES,
} from 'schema'
import type { Parts } from '../../app/create-parts.ts'
import { routeOf } from '../../http/route.ts'
import type { AccountFeed } from '../../streams/account-feed.ts'
import { MinuteRing } from '../../time.ts'
import type { Events, FeedFacts, GatewayEvents } from '../../upstream/events.ts'
import type { BotSockets } from './bot-sockets.ts'

type StatusParts = Pick<Parts, 'config' | 'events' | 'nowMs' | 'stores' | 'streams'> & {
  readonly sockets: BotSockets
}

/** What people see of streams: those of accounts, and the connections of a client's bots. */
export const streamStatus: FastifyPluginAsyncTypebox<StatusParts> = async (app, parts) => {
  const { nowMs, sockets, stores, streams } = parts
  const activity = new FeedActivity(parts.events, nowMs)
  const isOn = parts.config.accountStreams
  const at = () => toTime(nowMs())

  /** Those that are not whole come first. */
  async function feedsNow(feeds: readonly AccountFeed[]): Promise<FeedNow[]> {
    const rows = await stores.clients.list()
    const names = new Map(rows.map(({ id, clientId }) => [id, clientId]))
    return feeds
      .map((feed) => toFeedNow(feed, names))
      .sort((a, b) => urgencyOf(b) - urgencyOf(a) || a.since.localeCompare(b.since))
  }

  function toFeedNow(feed: AccountFeed, names: ReadonlyMap<number, string>): FeedNow {
    const { exchange, accountRef, account } = feed
    const { state, sinceMs, reason } = feed.state()
    return {
      ...{ exchange, feed: feed.feed, account: `${accountRef}` },
      // One that was deleted just now has no name any more.
      clients: account.clients.flatMap((id) => {
        const clientId = names.get(id)
        return clientId === undefined ? [] : [{ id, clientId }]
      }),
      ...{ state, since: toTime(sinceMs), reason },
      ...activity.of(feed),
      listening: streams.feeds.listenersOf(feed),
    }
  }

  app.route({
    ...routeOf(listAccountStreams),
    handler: async () => ({
      at: at(),
      isOn,
      sockets: EXCHANGES.map((exchange) => ({ exchange, open: streams.dials[exchange].inside })),
      feeds: await feedsNow(streams.feeds.list()),
    }),
  })

  app.route({
    ...routeOf(listClientStreams),
    handler: async ({ params: { id } }) => ({
      ...{ at: at(), isOn },
      feeds: await feedsNow(
        streams.feeds.list().filter(({ account }) => account.clients.includes(id)),
      ),
      streams: sockets.ofClient(id).map(({ opening, waitingBytes }) => {
        const { kind, sinceMs, address, isResumed } = opening
        return { kind, since: toTime(sinceMs), address, isResumed, waitingBytes }
      }),
    }),
  })
}

const urgencyOf = ({ state }: FeedNow) => STREAM_STATES.indexOf(state)

const toTime = (ms: number) => new Date(ms).toISOString()

interface Counted {
  lastEventMs: number | null
  readonly events: MinuteRing
}

/** When the last event of each feed came, and how many came in the last minute. */
class FeedActivity {
  readonly #feeds = new Map<string, Counted>()
  readonly #nowMs: () => number

  constructor(events: Pick<Events, 'on'>, nowMs: () => number) {
    this.#nowMs = nowMs
    events.on('streamEvents', (published) => this.#count(published))
    events.on('streamClosed', (facts) => this.#feeds.delete(nameOf(facts)))
  }

  of(feed: AccountFeed): Pick<FeedNow, 'eventsLastMinute' | 'lastEventAt'> {
    const counted = this.#feeds.get(nameOf(feed))
    const lastEventMs = counted?.lastEventMs ?? null
    return {
      lastEventAt: lastEventMs === null ? null : toTime(lastEventMs),
      eventsLastMinute: counted?.events.total(this.#nowMs()) ?? 0,
    }
  }

  #count({ published, ...facts }: GatewayEvents['streamEvents']): void {
    const count = published.order + published.fill + published.position + published.balance
    if (count === 0) return
    const name = nameOf(facts)
    const counted = this.#feeds.get(name) ?? { lastEventMs: null, events: new MinuteRing() }
    counted.lastEventMs = this.#nowMs()
    counted.events.add(counted.lastEventMs, count)
    this.#feeds.set(name, counted)
  }
}

const nameOf = ({
  exchange,
  accountRef,
  feed,
}: Pick<FeedFacts, 'accountRef' | 'exchange' | 'feed'>) => `${exchange} ${accountRef} ${feed}`
