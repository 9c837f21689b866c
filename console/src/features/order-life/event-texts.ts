import { EXCHANGE_NAMES, type ExchangeCode, type OrderEvent } from 'schema'
import { formatMs } from '../../components/format.ts'
import * as texts from './texts.ts'

export interface EventWords {
  readonly title: string
  /** More about it; undefined when the title says it all. */
  readonly detail?: string | undefined
  readonly tone: 'plain' | 'good' | 'bad'
}

/** What an event of an order says to a person. */
export function wordsOf(event: OrderEvent, exchange: ExchangeCode): EventWords {
  const name = EXCHANGE_NAMES[exchange]
  const words = WORDS[event.type](event, name)
  return { tone: 'plain', ...words }
}

type Words = Omit<EventWords, 'tone'> & Partial<Pick<EventWords, 'tone'>>

const WORDS: Readonly<Record<OrderEvent['type'], (event: OrderEvent, name: string) => Words>> = {
  received: ({ reason }) => ({
    title: reason === undefined ? 'Received' : 'Started by a stop',
    detail: reason === undefined ? 'Written to the journal.' : `Reason of the stop: ${reason}`,
  }),
  checked: ({ note }) => ({
    title: 'Checked',
    detail: note ?? "The symbol's rules and the client's limits allow it.",
  }),
  queued: (event) => ({ title: 'Queued', detail: behindWhom(event) }),
  slot: ({ waitedMs = 0 }) => ({
    title: 'Left the queue',
    detail: `It waited ${formatMs(waitedMs)} in the queue.`,
  }),
  signed: ({ exchangeTime }, name) => ({
    title: 'Signed',
    detail: exchangeTime && `With the time of ${name}: ${utc(exchangeTime)}`,
  }),
  sent: ({ exchangeTime }, name) => ({
    title: 'Sent',
    detail: exchangeTime
      ? `Known from the journal, by the time of ${name}. Later steps were not recorded.`
      : `Its bytes are on the way to ${name}.`,
  }),
  answered: ({ status, tookMs = 0 }, name) => ({
    title: `${name} responded with HTTP ${status}`,
    detail: `After ${formatMs(tookMs)}.`,
  }),
  'turned-away': (_, name) => ({
    title: 'Turned away',
    detail: `${name} rejected it by its rate limit and did nothing. It waits for another turn.`,
    tone: 'bad',
  }),
  unknown: ({ why }) => ({ title: 'The outcome is unknown', detail: why, tone: 'bad' }),
  recovered: () => ({
    title: 'The gateway was restarted',
    detail: 'The process that sent it ended. The new one looks it up and sends nothing again.',
    tone: 'bad',
  }),
  lookup: (event, name) => lookUpWords(event, name),
  settled: ({ state = 'answered', status, code }) => ({
    title: `Settled: ${texts.states[state].toLowerCase()}`,
    detail: [status === undefined ? undefined : `HTTP ${status}`, code].filter(Boolean).join(', '),
    tone: (status ?? 200) < 400 ? 'good' : 'bad',
  }),
  responded: ({ status = 0, code, tookMs = 0 }) => ({
    title: `The bot got HTTP ${status}${code === undefined ? '' : ` ${code}`}`,
    detail: `${formatMs(tookMs)} after its request.`,
    tone: status < 400 ? 'good' : 'bad',
  }),
  related: ({ endpoint = '', reason, state = 'queued' }) => ({
    title:
      reason === undefined
        ? `Another request about the same order: ${endpoint}`
        : 'A stop cancelled the order',
    detail: `${reason === undefined ? '' : `Reason: ${reason}. `}${texts.states[state]}.`,
  }),
  ended: () => ({
    title: 'The order has ended',
    detail: 'It is no longer open at the exchange.',
  }),
  pushed: (event, name) => pushedWords(event, name),
}

function behindWhom({ ahead = 0, waiting = {}, own = 0 }: OrderEvent): string {
  const all = Object.values(waiting).reduce((sum, count) => sum + count, 0)
  if (all === 0) return 'The queue was empty.'
  const classes = Object.entries(waiting).map(
    ([name, count]) => `${count} ${CLASSES[name] ?? name}`,
  )
  return `${all} were already waiting: ${classes.join(', ')}; ${own} of this client, ${all - own} of others. Place ${ahead + 1} in the queue.`
}

const CLASSES: Readonly<Record<string, string>> = {
  cancel: 'cancels',
  lookup: 'look-ups',
  order: 'orders',
  account: 'account reads',
  market: 'market reads',
}

function lookUpWords({ where, found, orderState, why }: OrderEvent, name: string): Words {
  if (found === undefined) return { title: 'Look-up failed', detail: why, tone: 'bad' }
  const at = where === undefined ? '' : `Asked: ${where}.`
  if (found === 'found')
    return { title: `Looked up: found, ${orderState}`, detail: at, tone: 'good' }
  const result = found === 'absent' ? 'not there' : 'not certain'
  return { title: `Looked up: ${result}`, detail: [why, at].filter(Boolean).join('. ') || name }
}

function pushedWords(event: OrderEvent, name: string): Words {
  const { orderState = 'open', orderId, filled, fills, exchangeTime } = event
  const facts = [
    orderId && `Order ${orderId}.`,
    filled &&
      filled !== '0' &&
      `Filled: ${filled}${fills ? `, after ${fills} partial fills` : ''}.`,
    exchangeTime && `Time of ${name}: ${utc(exchangeTime)}.`,
  ]
  return {
    title: `${name} pushed: ${PUSHED[orderState] ?? orderState}`,
    detail: facts.filter(Boolean).join(' '),
    tone: orderState === 'filled' ? 'good' : orderState === 'rejected' ? 'bad' : 'plain',
  }
}

const PUSHED: Readonly<Record<string, string>> = {
  open: 'the order is open',
  'partially-filled': 'partly filled',
  filled: 'filled',
  cancelled: 'cancelled',
  rejected: 'rejected',
}

/** `14:30:22.123 UTC` */
function utc(iso: string): string {
  return `${iso.slice(11, 23)} UTC`
}
