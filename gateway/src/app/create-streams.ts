import { eachExchange } from '../exchanges/exchange.ts'
import { keysOf } from '../exchanges/keys.ts'
import { feedsOf } from '../exchanges/registry.ts'
import { passOverDamage } from '../store/errors.ts'
import { AccountFeed } from '../streams/account-feed.ts'
import { feedContext } from '../streams/account-socket.ts'
import { DIAL_LIMITS, Gate } from '../streams/dial-pace.ts'
import { EventLog } from '../streams/event-log.ts'
import { Feeds } from '../streams/feeds.ts'
import { OrderJoin } from '../streams/join-orders.ts'
import { PublicFeeds } from '../streams/public-feeds.ts'
import type { Events } from '../upstream/events.ts'
import type { Core } from './app-options.ts'
import type { Trading } from './create-trading.ts'
import type { OwnerWork } from './owner.ts'

/** Accounts of one exchange that close a gap at the same time. */
const READING_AT_ONCE = 4

interface StreamLinks {
  readonly events: Events
  readonly ownerWork: OwnerWork
  readonly trading: Trading
}

/** Creates the account feeds, and the parts that bots' streams use. */
export async function createStreams(core: Core, { events, ownerWork, trading }: StreamLinks) {
  const { app, config, stores, time } = core
  const { keys, exchanges, orders } = trading
  const { workingOrders } = orders
  const log = new EventLog(stores.streamEvents, time)
  /** Shared by all sockets to an exchange: its limits are for this machine's address. */
  const dials = eachExchange((exchange) => new Gate(DIAL_LIMITS[exchange], time))
  const depsOf = eachExchange((exchange) => ({
    ...{ exchange, keys, events, time, log, workingOrders, orderUpdates: orders.updates },
    upstream: exchanges.upstreams[exchange],
    clock: exchanges.clocks[exchange],
    clients: stores.clients,
    journal: stores.journal,
    rules: exchanges.rules,
    join: new OrderJoin({ workingOrders, journal: stores.journal, keys, time }),
    dials: dials[exchange],
    reads: new Gate({ atOnce: READING_AT_ONCE }, time),
    isLaneIdle: () => exchanges.lanes[exchange].snapshot().queued === 0,
    random: Math.random,
  }))
  const feeds = new Feeds({
    ...{ keys, workingOrders, events, time },
    isOn: config.accountStreams,
    protocolsOf: feedsOf,
    createFeed(account, protocol) {
      const origin = config.sockets[protocol.family]
      return new AccountFeed({ ...depsOf[account.exchange], origin }, account, protocol)
    },
    async learnKind(account) {
      const deps = depsOf[account.exchange]
      const context = await feedContext(deps, account)
      // Reading the response stores the kind with the keys (`noteAccountKind`).
      await deps.upstream.send(context, keysOf(account.exchange).check(null), {
        jobClass: 'account',
      })
    },
  })
  workingOrders.onSending = (clientRef, exchange) => feeds.sending(clientRef, exchange)
  workingOrders.onPlaced = (order) => feeds.placed(order)
  await ownerWork.whenOwner(async (fence) => {
    await log.start(fence).catch(passOverDamage)
    await feeds.start()
  })
  const publicFeeds = new PublicFeeds({
    ...{ origins: config.sockets, gates: dials, time },
    onNote: (note) => app.log.info(note, 'a public socket to an exchange'),
  })
  return { log, feeds, dials, publicFeeds }
}
