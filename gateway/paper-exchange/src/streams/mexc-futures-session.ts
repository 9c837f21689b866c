import { createHmac } from 'node:crypto'
import { type Account, positionsOf, secretsOf } from '../account.ts'
import {
  type Json,
  type JsonObject,
  type ReceivedJson,
  readJson,
  writeJson,
} from '../exact-numbers.ts'
import { isAllowedAddress, isList, isObject, isSameText } from '../exchange-request.ts'
import { toPlanView, toTrackView } from '../mexc/futures-plans.ts'
import { toStopView } from '../mexc/futures-stops.ts'
import {
  contractRulesOf,
  toAssetView,
  toDealView,
  toOrderView,
  toPositionView,
  toVol,
} from '../mexc/futures-views.ts'
import type { Change } from '../venue.ts'
import { futuresMarketTopic } from './mexc-futures-market-topics.ts'
import type { SessionParts, StreamSession, StreamSocket } from './stream-socket.ts'
import { marginPicture, Picture, positionPicture, type Topic } from './topic.ts'

const PING_SILENCE_MS = 60_000
/** That it is the same as of a request is an assumption [?] (streams.md, 3). */
const TIME_OFF_MAX_MS = 10_000
/** What a filter can name; all but the last two take symbols. */
const FILTERS: ReadonlySet<string> = new Set([
  ...['order', 'order.deal', 'position', 'plan.order', 'stop.order', 'stop.planorder'],
  ...['risk.limit', 'adl.level', 'asset'],
])
const WITHOUT_SYMBOLS: ReadonlySet<string> = new Set(['adl.level', 'asset'])

type Filter = ReadonlyMap<string, ReadonlySet<string>>

/** A connection of MEXC futures, for what is public and what is of one account (streams.md, 3). */
export class MexcFuturesSession implements StreamSession {
  readonly #socket: StreamSocket
  readonly #parts: SessionParts
  readonly #public = new Map<string, Topic>()
  readonly #stopListening: () => void
  #pingedAtMs: number
  /** Null: everything; empty after a login with `subscribe: false`. */
  #filter: Filter | null = new Map()
  #margin = new Picture()
  #positions = new Picture()
  #held: ReturnType<typeof positionsOf> = []

  constructor(socket: StreamSocket, parts: SessionParts) {
    this.#socket = socket
    this.#parts = parts
    this.#pingedAtMs = parts.venue.nowMs()
    this.#stopListening = parts.venue.changes.listen({
      changed: (change) => this.#changed(change),
      settled: () => this.#settled(),
    })
  }

  channels(): readonly string[] {
    const isPrivate = this.#socket.account !== null
    const own = isPrivate ? [...(this.#filter ?? FILTERS).keys()] : []
    return [...own.map((name) => `push.personal.${name}`), ...this.#public.keys()]
  }

  heard(text: string): void {
    const frame = frameOf(text)
    if (frame === undefined) {
      this.#error('Illegal request')
      return
    }
    const { method = '', param = null } = frame
    if (typeof method !== 'string') {
      this.#error('Illegal method')
      return
    }
    const fields = isObject(param) ? param : {}
    if (method.toLowerCase() === 'ping') {
      this.#pingedAtMs = this.#parts.venue.nowMs()
      this.#reply('pong', this.#pingedAtMs)
      return
    }
    if (method === 'login') {
      this.#login(fields, frame.subscribe)
      return
    }
    if (method === 'personal.filter') {
      this.#setFilter(fields)
      return
    }
    this.#subscribe(method, fields)
  }

  beat(): void {
    if (this.#parts.venue.nowMs() - this.#pingedAtMs >= PING_SILENCE_MS) {
      this.#socket.close(1000)
      return
    }
    for (const topic of this.#public.values()) topic.beat?.()
  }

  /** No notice of MEXC is known: the connection ends a minute later. */
  announceMaintenance(): void {}

  ended(): void {
    this.#stopListening()
  }

  #login(param: Fields, subscribe: ReceivedJson | undefined): void {
    const { apiKey = '', reqTime = '', signature = '' } = textsOf(param)
    const { venue, faults } = this.#parts
    const account = venue.accounts.byApiKey('mx', apiKey)
    const facts = { stream: 'mexc-futures', account: account?.name ?? null, channel: '' } as const
    const fault = faults.takeForLogin(facts)?.kind
    if (fault === 'refuse-login' || account === undefined) {
      this.#error('Login failed')
      return
    }
    if (!/^\d{1,16}$/.test(reqTime)) {
      this.#error('Invalid request time')
      return
    }
    if (Math.abs(venue.nowMs() - Number(reqTime)) > TIME_OFF_MAX_MS) {
      this.#error('Request time is more than 10 s off')
      return
    }
    const expected = createHmac('sha256', secretsOf(account, apiKey).apiSecret)
      .update(`${apiKey}${reqTime}`)
      .digest('hex')
    if (!isSameText(expected, signature)) {
      this.#error('Signature verification failed')
      return
    }
    if (account.isExpired) {
      this.#error('Api_key has expired')
      return
    }
    if (!isAllowedAddress(this.#socket.remoteAddress, account.ipWhitelist)) {
      this.#error('IP is not in the whitelist')
      return
    }
    if (!account.permissions.has('read')) {
      this.#error('No permission')
      return
    }
    this.#socket.account = account
    this.#socket.isDeaf = fault === 'wrong-family'
    // `readJson` keeps a boolean as it is; at another place the field has no effect [?]
    // (streams.md, 3).
    this.#filter = subscribe === false ? new Map() : null
    this.#margin.differences(marginPicture(account))
    this.#positions.differences(positionPicture(venue, account))
    this.#held = positionsOf(account)
    this.#socket.reply(writeJson({ channel: 'rs.login', data: 'success', ts: `${venue.nowMs()}` }))
  }

  /** The last filter replaces the one before; an empty list, or none, is everything. */
  #setFilter({ filters = null }: Fields): void {
    const entries = isList(filters) ? filters : []
    const filter = new Map<string, ReadonlySet<string>>()
    for (const entry of entries) {
      const { filter: name = null, rules = null } = isObject(entry) ? entry : {}
      if (typeof name !== 'string' || !FILTERS.has(name)) {
        this.#error(`Invalid filter: ${typeof name === 'string' ? name : ''}`)
        return
      }
      const symbols = isList(rules) ? rules.filter((rule) => typeof rule === 'string') : []
      if (symbols.length > 0 && WITHOUT_SYMBOLS.has(name)) {
        this.#error(`The filter ${name} takes no symbols`)
        return
      }
      filter.set(name, new Set(symbols))
    }
    this.#filter = filter.size === 0 ? null : filter
    this.#reply('rs.personal.filter', 'success')
  }

  #subscribe(method: string, param: Fields): void {
    const [verb, ...rest] = method.split('.')
    const name = rest.join('.')
    const symbol = textsOf(param).symbol ?? ''
    const key = symbol === '' ? name : `${name}@${symbol}`
    if (verb === 'unsub' && name !== '') {
      for (const known of [...this.#public.keys()])
        if (known === key || (symbol === '' && known.startsWith(`${name}@`)))
          this.#public.delete(known)
      this.#reply(`rs.${method}`, 'success')
      return
    }
    const { venue } = this.#parts
    const push = (data: Json) =>
      this.#socket.push(
        `push.${name}`,
        writeJson({
          ...(symbol === '' ? {} : { symbol }),
          data,
          channel: `push.${name}`,
          ts: venue.nowMs(),
        }),
      )
    const topic =
      verb === 'sub' ? futuresMarketTopic({ venue, name, param: textsOf(param), push }) : undefined
    if (topic === undefined) {
      this.#error(`Contract or method does not exist: ${method}`)
      return
    }
    this.#reply(`rs.${method}`, 'success')
    this.#public.set(key, topic)
    topic.start?.()
  }

  #changed(change: Change): void {
    for (const topic of this.#public.values()) topic.changed?.(change)
    const { account } = this.#socket
    if (change.kind === 'spot' || change.order.account !== account) return
    switch (change.kind) {
      case 'contract':
        this.#push('order', orderPush(change.order))
        if (change.note.trade !== undefined) this.#push('order.deal', dealPush(change.note.trade))
        return
      case 'plan':
        change.order.trigger.kind === 'fixed'
          ? this.#push('plan.order', toPlanView(change.order))
          : this.#push('track.order', toTrackView(change.order))
        return
      case 'trigger':
        this.#push('stop.planorder', toStopView(change.order))
        return
    }
  }

  #settled(): void {
    const { account } = this.#socket
    if (account === null) return
    const { venue } = this.#parts
    for (const coin of this.#margin.differences(marginPicture(account)))
      this.#push('asset', assetPush(venue, account, coin))
    const different = this.#positions.differences(positionPicture(venue, account))
    const held = positionsOf(account)
    for (const position of new Set([...this.#held, ...held])) {
      if (!different.includes(position.id)) continue
      const isClosed = !held.includes(position)
      this.#push('position', positionPush(venue, account, { position, isClosed }))
    }
    this.#held = held
  }

  #push(name: string, data: JsonObject): void {
    const { account, isDeaf } = this.#socket
    if (account === null || isDeaf || !this.#isWanted(name, data)) return
    const channel = `push.personal.${name}`
    const ts = this.#parts.venue.nowMs()
    this.#socket.push(channel, writeJson({ channel, data, ts }))
  }

  #isWanted(name: string, { symbol }: JsonObject): boolean {
    if (this.#filter === null) return true
    const symbols = this.#filter.get(name)
    if (symbols === undefined) return false
    return symbols.size === 0 || (typeof symbol === 'string' && symbols.has(symbol))
  }

  #reply(channel: string, data: Json): void {
    this.#socket.reply(writeJson({ channel, data, ts: this.#parts.venue.nowMs() }))
  }

  #error(data: string): void {
    this.#reply('rs.error', data)
  }
}

interface Fields {
  readonly [name: string]: ReceivedJson
}

/** Undefined when it is no JSON object. */
function frameOf(text: string): Fields | undefined {
  try {
    const value = readJson(text)
    return isObject(value) ? value : undefined
  } catch {
    // The caller sends `rs.error`: what arrived is no JSON.
    return undefined
  }
}

const textsOf = (fields: Fields): Record<string, string> =>
  Object.fromEntries(
    Object.entries(fields).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  )

type OrderOf<Kind extends Change['kind']> = Extract<Change, { kind: Kind }>

/** With what REST leaves out; the version is undocumented (streams.md, 1). */
function orderPush(order: OrderOf<'contract'>['order']): JsonObject {
  const { makerFeeRate, takerFeeRate } = contractRulesOf(order.market)
  return {
    ...toOrderView(order),
    remainVol: toVol(order.market, order.size.minus(order.filledSize)),
    makerFeeRate,
    takerFeeRate,
    bboTypeNum: 0,
    version: toVol(order.market, order.filledSize).plus(order.status === 'open' ? 1 : 2),
  }
}

function dealPush(trade: NonNullable<OrderOf<'contract'>['note']['trade']>): JsonObject {
  const { taker, ...view } = toDealView(trade)
  return {
    ...view,
    // REST calls it `taker`; both names are known (streams.md, 6).
    isTaker: taker ?? true,
    externalOid: trade.order.clientId,
    positionMode: trade.order.positionMode === 'hedge' ? 1 : 2,
    reduceOnly: trade.order.isReduceOnly,
    // The customer on the other side: not for a bot (streams.md, 3).
    opponentUid: 7_299_999_999,
  }
}

/** No equity (streams.md, 3). */
function assetPush(venue: SessionParts['venue'], account: Account, coin: string): JsonObject {
  const { currency, positionMargin, frozenBalance, availableBalance, bonus } = toAssetView(
    venue,
    account,
    coin,
  )
  return { currency, positionMargin, frozenBalance, availableBalance, bonus }
}

/** A closed position comes once more, with state 3 and nothing held. */
function positionPush(
  venue: SessionParts['venue'],
  account: Account,
  { position, isClosed }: { position: ReturnType<typeof positionsOf>[number]; isClosed: boolean },
): JsonObject {
  const { market, closedSize, size } = position
  const { createTime, updateTime, ...view } = toPositionView(venue, account, position)
  return {
    ...view,
    ...(isClosed ? { state: 3, holdVol: 0, frozenVol: 0, liquidatePrice: 0 } : {}),
    version: toVol(market, closedSize.times(2).plus(size)),
    adlLevel: 0,
    timestamp: updateTime ?? 0,
    createTime: createTime ?? 0,
    updateTime: updateTime ?? 0,
  }
}
