import type { ExchangeCode } from 'schema'
import type { ExchangeKeys, UpstreamCall } from '../exchanges/exchange.ts'
import type { FeedName, FeedProtocol } from '../exchanges/feed.ts'
import type { ApiKeyListRow } from '../store/api-key-store.ts'
import { FeedSocket, type SocketEnd } from '../streams/feed-socket.ts'
import type { Feeds } from '../streams/feeds.ts'
import type { Time } from '../time.ts'
import type { Events, FeedFacts } from '../upstream/events.ts'

/** The result of a test of an account's private WebSocket. It contains no secret. */
export interface FeedFound {
  readonly feed: FeedName
  /** Null: it signed in and subscribed. Otherwise a reason of `SocketEnd`. */
  readonly reason: string | null
  /** The message of the exchange or the system. */
  readonly detail: string
  /** Channels that the exchange refused. */
  readonly refused: readonly string[]
}

interface TryFeedOptions {
  readonly protocol: FeedProtocol
  /** Of the WebSocket. */
  readonly origin: string
  readonly keys: ExchangeKeys
  /** The exchange's time, Unix ms. */
  readonly exchangeMs: () => number
  /** Sends a signed call, for MEXC spot's listen key. @returns the data of the response */
  readonly call: (call: UpstreamCall) => Promise<unknown>
  readonly time: Pick<Time, 'monotonic' | 'setTimeout'>
  readonly withinMs: number
}

/** Opens a feed with these keys, and closes it. @throws what `call` throws */
export async function tryFeed({ protocol, call, ...options }: TryFeedOptions): Promise<FeedFound> {
  const { listenKeys } = protocol
  if (listenKeys === undefined) return dial({ ...options, protocol, listenKey: undefined })
  const listenKey = listenKeys.read(await call(listenKeys.create()))
  try {
    return await dial({ ...options, protocol, listenKey })
  } finally {
    await call(listenKeys.remove(listenKey))
  }
}

async function dial(
  options: Omit<TryFeedOptions, 'call'> & { readonly listenKey: string | undefined },
): Promise<FeedFound> {
  const { protocol, origin, keys, exchangeMs, time, withinMs, listenKey } = options
  const { promise, resolve } = Promise.withResolvers<Omit<FeedFound, 'feed'>>()
  const { login } = protocol
  const ended = ({ reason, detail }: SocketEnd) => resolve({ reason, detail, refused: [] })
  const socket = new FeedSocket({
    url: `${origin}${protocol.pathOf(listenKey)}`,
    ...{ protocol, time },
    login: login && (async () => login(keys, exchangeMs())),
    listener: {
      ready: (refused) =>
        resolve({ reason: refused.length === 0 ? null : 'not subscribed', detail: '', refused }),
      ended,
      ...{ dialled() {}, push() {}, notSubscribed() {}, unreadable() {}, ending() {} },
    },
  })
  const isLate = { reason: 'not confirmed', detail: `nothing within ${withinMs} ms` } as const
  const timer = time.setTimeout(() => ended(isLate), withinMs)
  const found = await promise
  timer.cancel()
  await socket.close()
  return { feed: protocol.name, ...found }
}

/** How long a gateway waits for its feeds, which dial one after another. */
const TRY_MS = 30_000
const LOOK_EVERY_MS = 50
/** Reasons after which no attempt follows soon, or none will succeed. */
const FINAL: ReadonlySet<unknown> = new Set(['login refused', 'unreachable', 'not subscribed'])

interface FeedTrialsDeps {
  /** ACCOUNT_STREAMS of this gateway. */
  readonly isOn: boolean
  readonly feeds: Pick<Feeds, 'listen'>
  readonly events: Pick<Events, 'on'>
  readonly time: Pick<Time, 'monotonic' | 'sleep'>
}

/** Tests the feeds of a running gateway, so that an open feed is not opened twice. */
export class FeedTrials {
  readonly #deps: FeedTrialsDeps
  /** How the last socket of each closed feed ended. */
  readonly #details = new Map<string, string>()

  constructor(deps: FeedTrialsDeps) {
    this.#deps = deps
    const { events } = deps
    events.on('streamEnded', ({ detail, ...feed }) => this.#details.set(nameOf(feed), detail))
    events.on('streamLoginRefused', ({ message, ...feed }) =>
      this.#details.set(nameOf(feed), message),
    )
    events.on('streamClosed', (feed) => this.#details.delete(nameOf(feed)))
  }

  /** @returns an empty list when the gateway does not know the kind of the account */
  async try(
    { clientRef, exchange }: Pick<ApiKeyListRow, 'clientRef'> & { readonly exchange: ExchangeCode },
    signal: AbortSignal,
  ): Promise<FeedFound[]> {
    const { feeds, isOn, time } = this.#deps
    if (!isOn) throw new Error('ACCOUNT_STREAMS is off in the running gateway')
    const listening = await feeds.listen(clientRef, exchange)
    try {
      const untilMs = time.monotonic() + TRY_MS
      for (;;) {
        const open = listening.feeds.map((feed) => ({ feed, state: feed.state() }))
        const isDone = open.every(({ state }) => state.state !== 'gap' || FINAL.has(state.reason))
        if ((isDone && open.length > 0) || time.monotonic() >= untilMs)
          return open.map(({ feed: { feed, accountRef }, state: { state, reason } }) => ({
            ...{ feed, refused: [], reason: state === 'gap' ? (reason ?? 'starting') : null },
            detail: this.#details.get(nameOf({ feed, exchange, accountRef })) ?? '',
          }))
        await time.sleep(LOOK_EVERY_MS, { signal, ref: false })
      }
    } finally {
      listening.release()
    }
  }
}

const nameOf = ({ feed, exchange, accountRef }: Omit<FeedFacts, 'clients'>) =>
  `${exchange} ${accountRef} ${feed}`
