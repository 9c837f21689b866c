import {
  type AlertType,
  type ApiKey,
  type ClientNow,
  EXCHANGE_NAMES,
  type ExchangeCode,
  type ExchangeNow,
  type OpenAlert,
  type Operations,
} from 'schema'
import type { AttentionItem } from '../components/attention-list.tsx'
import { expiryOf } from '../components/format.ts'
import { PARTS } from '../components/page.tsx'
import type { Sign } from '../components/signs.tsx'
import * as texts from './attention-texts.ts'
import { NEAR_PERCENT, nearestUse, STATE_LOOKS } from './exchange-state.ts'

type Kind = AlertType | texts.FoundType

/** The most urgent first: the texts are in this order. */
const KINDS: readonly string[] = Object.keys(texts.sentences)
/** What comes after it does not hurt yet. */
const LAST_BAD = KINDS.indexOf('master-key.refused' satisfies Kind)
/** What only a newer gateway knows counts as urgent, but after what is known to be. */
const rankOf = (kind: string) => (KINDS.includes(kind) ? KINDS.indexOf(kind) : LAST_BAD + 0.5)

function signOf(kind: Kind): Sign {
  if (kind === 'exchange.stopped') return 'off'
  return rankOf(kind) < LAST_BAD + 1 ? 'bad' : 'waiting'
}

interface Found {
  /** What it is about: of two about the same, the first has more to say. */
  readonly topic: string
  readonly kind: Kind
  readonly subject: string
  readonly what: string
  readonly why: string
  readonly since?: string | undefined
  readonly count?: number
  readonly place: Place
  /** Where all of these are, when there are several. */
  readonly all?: Place
}

type Place = Pick<AttentionItem, 'href' | 'linkText'>

const { links, sentences, whys } = texts
const OPERATIONS = { href: '/operations', linkText: links.operations }
const ALL_CLIENTS = { href: '/client-credentials', linkText: links.clients }

/**
 * What needs a person's attention, the most urgent first, equal ones as one; an empty list when
 * nothing does.
 */
export function attentionOf(
  now: Operations | undefined,
  keys: readonly ApiKey[] | undefined,
  nowMs: number,
): readonly AttentionItem[] {
  const { exchanges = [], clients = [], alerts = [] } = now ?? {}
  const refused: Refusals = new Map(
    alerts.filter(({ name }) => name === 'key.refused').map((alert) => [topicOf(alert), alert]),
  )
  const known = [
    ...exchanges.flatMap(ofExchange),
    ...UNKNOWN.flatMap((kind) => ofUnknown(kind, now)),
    ...(keys ?? [])
      .flatMap((key) => ofKey(key, nowMs, refused))
      .filter(({ topic, kind }) => kind !== 'key.untested' || !refused.has(topic)),
    ...clients.flatMap(ofClient),
  ]
  const topics = new Set(known.map(({ topic }) => topic))
  const others = alerts
    .filter((alert) => !topics.has(topicOf(alert)) && !isLess(refused, topicOf(alert), alert.name))
    .map((alert) => ofAlert(alert, clients))
  return foldEqual([...known, ...others].toSorted((a, b) => rankOf(a.kind) - rankOf(b.kind)))
}

const UNKNOWN = ['order.unknown', 'cancel.unknown'] as const
/** Those of one kind that say the same are one item. */
function foldEqual(found: readonly Found[]): AttentionItem[] {
  const groups = Map.groupBy(found, ({ kind, what }) => `${kind} ${what}`)
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    if (first === undefined) return []
    const since = group.flatMap((each) => each.since ?? []).toSorted()[0]
    return [
      {
        id: first.topic,
        sign: signOf(first.kind),
        subject: first.subject,
        what: first.what,
        since: since ?? null,
        count: group.reduce((sum, { count = 1 }) => sum + count, 0),
        ...(group.length > 1 && first.all ? first.all : first.place),
        about: group.map(({ subject, why, place }) => ({ subject, why, href: place.href })),
      },
    ]
  })
}

function ofExchange({ exchange, state, since, reason }: ExchangeNow): Found[] {
  if (state === 'running') return []
  const kind = `exchange.${state === 'paused' ? 'throttled' : state}` as const
  return [
    {
      ...{ topic: `exchange ${exchange}`, kind, subject: EXCHANGE_NAMES[exchange] },
      what: sentences[kind]('', ''),
      why: reason ?? STATE_LOOKS[state].meaning,
      since: since ?? undefined,
      place: toExchange(exchange),
    },
  ]
}

/** All of them are one: they are ended at one place. */
function ofUnknown(kind: (typeof UNKNOWN)[number], now: Operations | undefined): Found[] {
  const count = (kind === 'order.unknown' ? now?.unknownOrders : now?.unknownCancels) ?? 0
  if (count === 0) return []
  const alerts = now?.alerts.filter(({ name }) => name === kind) ?? []
  const [client, ...more] = new Set(alerts.map(({ subject }) => readSubject(subject).client))
  return [
    {
      ...{ topic: kind, kind, count, what: sentences[kind]('', '') },
      subject: client !== undefined && more.length === 0 ? client : texts.allClients,
      why: [...alerts.map(({ text }) => text), whys[kind]].join('\n'),
      since: alerts.map(({ since }) => since).toSorted()[0],
      place: placeOfUnknown(kind),
    },
  ]
}

const placeOfUnknown = (kind: string): Place => ({
  href: `/operations#${PARTS.outcomes}`,
  linkText: kind === 'order.unknown' ? links.outcomes : links.cancels,
})

/** Alerts of keys that an exchange refuses, by topic. */
type Refusals = ReadonlyMap<string, OpenAlert>

/** What the exchange does to a bot's calls now is worse than what the last test of a key said. */
const isLess = (refused: Refusals, topic: string, kind: string) =>
  refused.has(topic) && rankOf(kind) > rankOf('key.refused')

function ofKey(key: ApiKey, nowMs: number, refused: Refusals): Found[] {
  const { clientId, exchange, testStatus, testMessage, isReadable, canWithdraw, expiresAt } = key
  const expiry = expiryOf(expiresAt, nowMs)
  const problems: readonly (readonly [FoundKey, isTrue: boolean, why: string])[] = [
    ['key.withdraws', canWithdraw === true, whys['key.withdraws']],
    ['key.unreadable', isReadable === false, whys['key.unreadable']],
    ['key.test-failed', testStatus === 'failure', whys.failed(testMessage)],
    ['key.expired', expiry?.isOver === true, expiry?.text ?? ''],
    ['key.expiring', expiry?.isSoon === true && !expiry.isOver, expiry?.text ?? ''],
    ['key.untested', testStatus === 'untested', whys['key.untested']],
  ]
  const real = problems.filter(([, isTrue]) => isTrue)
  const [worst] = real
  if (worst === undefined) return []
  const topic = `key ${exchange}/${clientId}`
  const isRefused = worst[0] !== 'key.untested' && isLess(refused, topic, worst[0])
  const kind = isRefused ? 'key.refused' : worst[0]
  const more = kind === 'key.expiring' ? (expiry?.text.toLowerCase() ?? '') : ''
  const failedAt = kind === 'key.test-failed' ? (key.testedAt ?? undefined) : undefined
  return [
    {
      ...{ topic, kind, subject: clientId },
      what: sentences[kind](EXCHANGE_NAMES[exchange], more),
      why: real.map(([, , why]) => why).join('. '),
      since: isRefused ? refused.get(topic)?.since : failedAt,
      place: toKey(exchange, clientId),
      all: toKeys(kind),
    },
  ]
}

type FoundKey = Extract<Kind, `key.${string}`>

function ofClient({ id, clientId, nearestLimit }: ClientNow): Found[] {
  if (nearestLimit == null) return []
  const { name, use, percent } = nearestUse(nearestLimit)
  if (!(percent >= NEAR_PERCENT)) return []
  const kind = percent >= 100 ? 'limit.reached' : 'limit.near'
  return [
    {
      ...{ topic: `limit ${clientId}`, kind, subject: clientId },
      what: sentences[kind]('', `${name} ${use}`),
      why: `${name}: ${use}`,
      place: { href: `/client-credentials/${id}`, linkText: links.client },
    },
  ]
}

/** What an alert is about, as the topic of what says the same in more detail. */
function topicOf({ name, subject }: OpenAlert): string {
  if (name === 'order.unknown' || name === 'cancel.unknown') return name
  if (name.startsWith('key.')) return `key ${subject}`
  const isState = ['exchange.broken', 'exchange.stopped', 'exchange.throttled'].includes(name)
  return isState ? `exchange ${subject}` : `alert ${name} ${subject}`
}

function ofAlert(alert: OpenAlert, clients: readonly ClientNow[]): Found {
  const { name, subject, since, text, count } = alert
  const { exchange, client } = readSubject(subject)
  const kind = name as Kind
  const isOfKey = exchange !== undefined && client !== undefined
  return {
    ...{
      topic: topicOf(alert) === name ? `${name} ${subject}` : topicOf(alert),
      kind,
      since,
      count,
    },
    subject: name === 'approval.waiting' ? texts.approval(subject) : nameOf(subject),
    what: sentences[kind]?.(exchange === undefined ? '' : EXCHANGE_NAMES[exchange], '') ?? text,
    why: text,
    place: placeOf(alert, clients),
    ...(isOfKey && { all: isOfStream(name) ? STREAMS : toKeys(kind) }),
    ...(name.startsWith('client.') && { all: ALL_CLIENTS }),
  }
}

/** `mx/grid-bot` and `mx`: what alerts are about, apart from clients and the machine. */
function readSubject(subject: string) {
  const [, code = '', client] = /^([a-z]+)(?:\/(.+))?$/.exec(subject) ?? []
  return code in EXCHANGE_NAMES ? { exchange: code as ExchangeCode, client } : {}
}

function nameOf(subject: string): string {
  const { exchange, client } = readSubject(subject)
  if (exchange !== undefined) return client ?? EXCHANGE_NAMES[exchange]
  return texts.subjects[subject] ?? subject
}

function placeOf({ name, subject }: OpenAlert, clients: readonly ClientNow[]): Place {
  if (name === 'order.unknown' || name === 'cancel.unknown') return placeOfUnknown(name)
  if (name === 'approval.waiting') return { href: '/approvals', linkText: links.approvals }
  if (name.startsWith('client.')) {
    const id = clients.find(({ clientId }) => clientId === subject)?.id
    const search = new URLSearchParams({ q: subject })
    return {
      href: id === undefined ? `/client-credentials?${search}` : `/client-credentials/${id}`,
      linkText: links.client,
    }
  }
  if (isOfStream(name)) return STREAMS
  const { exchange, client } = readSubject(subject)
  if (exchange !== undefined && client !== undefined) return toKey(exchange, client)
  return exchange === undefined ? OPERATIONS : toExchange(exchange)
}

/** A login that is refused is mended at the key. */
const isOfStream = (name: string) => name.startsWith('stream.') && name !== 'stream.refused'
const STREAMS: Place = { href: `/operations#${PARTS.streams}`, linkText: links.streams }

const toExchange = (exchange: ExchangeCode): Place => ({
  ...OPERATIONS,
  href: `/operations#${PARTS.exchange(exchange)}`,
})

/** The filter of the keys' page that leaves those of a kind. */
const NEEDS: Readonly<Partial<Record<Kind, string>>> = {
  'key.test-failed': 'failed',
  'key.expired': 'week',
  'key.expiring': 'month',
  'key.untested': 'untested',
}

function toKeys(kind: Kind): Place {
  const need = NEEDS[kind]
  const query = need === undefined ? '' : `?${new URLSearchParams({ need })}`
  return { href: `/api-key-management${query}`, linkText: links.keys }
}

function toKey(exchange: string, client: string): Place {
  const query = new URLSearchParams({ client, exchange })
  return { href: `/api-key-management?${query}`, linkText: links.key }
}
