import {
  type ApiKey,
  type ClientNow,
  EXCHANGE_NAMES,
  type ExchangeNow,
  type OpenAlert,
  type Operations,
} from 'schema'
import { STATE_LOOKS } from '../../api/exchange-state.ts'
import { NEAR_PERCENT, nearestUse } from '../../api/nearest-use.ts'
import { expiryOf } from '../../components/expiry.ts'
import { formatCount, formatRoughly } from '../../components/format.ts'
import type { Sign } from '../../components/state-sign.tsx'
import * as texts from './texts.ts'

/** One thing that a person should look at. */
export interface Attention {
  /** What it is about: `exchange mx`, `key bg/grid-bot`. */
  readonly id: string
  readonly sign: Sign
  readonly what: string
  readonly why: string
  /** Where it is mended. */
  readonly href: string
  readonly linkText: string
}

const words = texts.attention
const URGENCY: readonly Sign[] = ['bad', 'off', 'waiting']
const operations = { href: '/operations', linkText: words.links.operations }

/** What needs a person's attention, the most urgent first; an empty list when nothing does. */
export function attentionOf(
  now: Operations | undefined,
  keys: readonly ApiKey[] | undefined,
  nowMs: number,
): readonly Attention[] {
  const { exchanges = [], clients = [], alerts = [] } = now ?? {}
  const refused = new Set(alerts.filter(({ name }) => name === 'key.refused').map(topicOf))
  const known = [
    ...exchanges.flatMap((exchange) => ofExchange(exchange, nowMs)),
    ...ofOutcomes(now),
    ...ofKeys(keys ?? [], refused, nowMs),
    ...clients.flatMap(ofClient),
  ]
  const ids = new Set(known.map(({ id }) => id))
  const others = alerts
    .filter((alert) => !ids.has(topicOf(alert)))
    .map((alert) => ofAlert(alert, clients, nowMs))
  return [...known, ...others].toSorted((a, b) => URGENCY.indexOf(a.sign) - URGENCY.indexOf(b.sign))
}

function ofExchange(now: ExchangeNow, nowMs: number): Attention[] {
  const { exchange, state, since, reason } = now
  if (state === 'running') return []
  const look = STATE_LOOKS[state]
  const age = since === null ? '' : words.lasting(ageOf(since, nowMs))
  return [
    {
      id: `exchange ${exchange}`,
      sign: look.sign,
      what: words.exchange(EXCHANGE_NAMES[exchange], look.name.toLowerCase(), age),
      why: reason ?? look.meaning,
      ...operations,
    },
  ]
}

function ofOutcomes(now: Operations | undefined): Attention[] {
  const { unknownOrders = 0, unknownCancels = 0 } = now ?? {}
  const bad = { sign: 'bad', href: '/operations#open-outcomes' } as const
  const orders = {
    ...{ id: 'orders', ...bad, linkText: words.links.outcomes, why: words.outcomesWhy },
    what: words.outcomes(formatCount(unknownOrders), unknownOrders === 1),
  }
  const cancels = {
    ...{ id: 'cancels', ...bad, linkText: words.links.cancels, why: words.cancelsWhy },
    what: words.cancels(formatCount(unknownCancels), unknownCancels === 1),
  }
  return [...(unknownOrders > 0 ? [orders] : []), ...(unknownCancels > 0 ? [cancels] : [])]
}

/** More never-tested keys than this are one entry: they would hide what is urgent. */
const UNTESTED_MAX = 3

/** @param refused keys of which an alert says more than that they were never tested */
function ofKeys(keys: readonly ApiKey[], refused: ReadonlySet<string>, nowMs: number): Attention[] {
  const listed = keys
    .flatMap((key) => ofKey(key, nowMs))
    .filter(({ id, sign }) => sign === 'bad' || !refused.has(id))
  const rest = listed.filter(({ why }) => why !== words.key.untested)
  const untested = listed.length - rest.length
  if (untested <= UNTESTED_MAX) return listed
  return [
    ...rest,
    {
      id: 'keys untested',
      sign: 'waiting',
      what: words.key.manyUntested(formatCount(untested)),
      why: words.key.manyUntestedWhy,
      href: '/api-key-management',
      linkText: words.links.keys,
    },
  ]
}

function ofKey(key: ApiKey, nowMs: number): Attention[] {
  const { clientId, exchange, testStatus, testMessage, isReadable, canWithdraw, expiresAt } = key
  const expiry = expiryOf(expiresAt, nowMs)
  const problems = [
    canWithdraw === true && words.key.withdraws,
    isReadable === false && words.key.unreadable,
    expiry?.isSoon && expiry.text,
    testStatus === 'failure' && words.key.failed(testMessage),
    testStatus === 'untested' && words.key.untested,
  ].filter((problem) => typeof problem === 'string')
  if (problems.length === 0) return []
  const isUrgent =
    canWithdraw === true ||
    isReadable === false ||
    expiry?.isOver === true ||
    testStatus === 'failure'
  return [
    {
      id: `key ${exchange}/${clientId}`,
      sign: isUrgent ? 'bad' : 'waiting',
      what: words.key.of(EXCHANGE_NAMES[exchange], clientId),
      why: problems.join('. '),
      ...toKey(exchange, clientId),
    },
  ]
}

function ofClient({ id, clientId, nearestLimit }: ClientNow): Attention[] {
  if (nearestLimit == null) return []
  const { name, use, percent } = nearestUse(nearestLimit)
  if (!(percent >= NEAR_PERCENT)) return []
  const isReached = percent >= 100
  return [
    {
      id: `limit ${clientId}`,
      sign: isReached ? 'bad' : 'waiting',
      what: isReached ? words.limitReached(clientId) : words.limitNear(clientId),
      why: `${name}: ${use}`,
      href: `/client-credentials/${id}`,
      linkText: words.links.client,
    },
  ]
}

/** What an alert is about, as the `id` of what says the same in more detail. */
function topicOf({ name, subject }: OpenAlert): string {
  if (name === 'order.unknown') return 'orders'
  if (name === 'cancel.unknown') return 'cancels'
  if (name.startsWith('key.')) return `key ${subject}`
  const isState = ['exchange.broken', 'exchange.stopped', 'exchange.throttled'].includes(name)
  return isState ? `exchange ${subject}` : `alert ${name} ${subject}`
}

const WARNINGS = [
  'approval.waiting',
  'owner.changed',
  'node.missing',
  'exchange.throttled',
  'key.expiring',
  'client.refused',
  'disk.low',
  'backup.old',
  'backup.missing',
  'clock.drift',
]

function ofAlert(alert: OpenAlert, clients: readonly ClientNow[], nowMs: number): Attention {
  const { name, subject, since, text } = alert
  return {
    id: `alert ${name} ${subject}`,
    sign: WARNINGS.includes(name) ? 'waiting' : 'bad',
    what: text,
    why: words.raised(ageOf(since, nowMs)),
    ...placeOf(alert, clients),
  }
}

function placeOf({ name, subject }: OpenAlert, clients: readonly ClientNow[]) {
  if (name === 'order.unknown' || name === 'cancel.unknown')
    return { href: '/operations#open-outcomes', linkText: words.links.outcomes }
  if (name === 'approval.waiting') return { href: '/approvals', linkText: words.links.approvals }
  if (name.startsWith('client.')) {
    const id = clients.find(({ clientId }) => clientId === subject)?.id
    const search = new URLSearchParams({ q: subject })
    return {
      href: id === undefined ? `/client-credentials?${search}` : `/client-credentials/${id}`,
      linkText: words.links.client,
    }
  }
  const [, exchange, clientId] = /^([a-z]+)\/(.+)$/.exec(subject) ?? []
  if (exchange !== undefined && clientId !== undefined) return toKey(exchange, clientId)
  return operations
}

function toKey(exchange: string, client: string) {
  const query = new URLSearchParams({ client, exchange })
  return { href: `/api-key-management?${query}`, linkText: words.links.key }
}

const ageOf = (since: string, nowMs: number) =>
  formatRoughly(Math.max(0, nowMs - Date.parse(since)))
