import type { ErrorBody, OrderEvent, OrderLife } from 'schema'
import { readJson } from '../../exchanges/protocol/json-text.ts'
import { wordsOf } from '../../exchanges/protocol/verdict.ts'
import { ownErrorIn } from '../../exchanges/refusals.ts'
import { JOB_CLASSES } from '../../lane/job.ts'
import type { JournalRow } from '../../store/journal-store.ts'
import { type LifeEvent, readLifeEvents } from '../../store/life-event.ts'
import type { LogRow } from '../../store/log-store.ts'

/**
 * A response comes after the commit of its outcome. Its time is a wall clock's and a duration by
 * another clock, each in whole ms, so it may seem to be earlier by this much.
 */
const CLOCKS_DIFFER_MS = 2

/** What the events of an order are made of. */
interface OrderRecord {
  readonly row: JournalRow
  /** Events that no commit has taken along yet. */
  readonly unwritten: readonly LifeEvent[]
  readonly logRow: LogRow | undefined
  /** Other requests about the same order. */
  readonly related: readonly JournalRow[]
}

/** Everything that is known of an order, oldest first. */
export function eventsOf({ row, unwritten, logRow, related }: OrderRecord): OrderEvent[] {
  const noted = [...readLifeEvents(row.events), ...unwritten]
  const events = [
    receivedOf(row, noted),
    ...noted.flatMap((event) => toEvent(row, event)),
    ...sentOf(row, noted),
    ...settledOf(row),
    ...respondedOf(logRow, row.settledAtMs),
    ...related.map(toRelated),
  ]
  // A stable sort: of two events in one millisecond, the first stays the first.
  return events.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at))
}

function receivedOf({ createdAtMs }: JournalRow, noted: readonly LifeEvent[]): OrderEvent {
  const reason = stopReasonOf(noted)
  return { at: toTime(createdAtMs), type: 'received', ...(reason === undefined ? {} : { reason }) }
}

function stopReasonOf(noted: readonly LifeEvent[]): string | undefined {
  for (const event of noted) if (event.type === 'stop') return event.reason
  return undefined
}

function toEvent({ createdAtMs }: JournalRow, event: LifeEvent): OrderEvent[] {
  const at = toTime(createdAtMs + event.ms)
  switch (event.type) {
    case 'stop':
      return []
    case 'queued': {
      const { ahead, own = 0 } = event
      const counts = event.waiting?.map((count, rank) => [JOB_CLASSES[rank] ?? '', count] as const)
      const waiting = Object.fromEntries(counts?.filter(([, count]) => count > 0) ?? [])
      return [{ at, type: 'queued', ahead, waiting, own }]
    }
    case 'signed':
      return [{ at, type: 'signed', exchangeTime: toTime(event.time) }]
    case 'lookup': {
      const { ms: _, state, ...facts } = event
      return [{ at, ...facts, ...(state === undefined ? {} : { orderState: state }) }]
    }
    case 'pushed': {
      const { ms: _, state: orderState, order: orderId, time, ...facts } = event
      return [
        {
          ...{ at, ...facts, orderState },
          ...(orderId === undefined ? {} : { orderId }),
          ...(time === undefined ? {} : { exchangeTime: toTime(time) }),
        },
      ]
    }
    default: {
      const { ms: _, ...facts } = event
      return [{ at, ...facts }]
    }
  }
}

/**
 * The journal says `sent` before the first byte: all that is known of it after a crash, and of
 * orders of versions that noted no events.
 */
function sentOf({ sentAtMs, createdAtMs }: JournalRow, noted: readonly LifeEvent[]): OrderEvent[] {
  const isLost = noted.length === 0 || noted.some(({ type }) => type === 'recovered')
  if (sentAtMs === null || !isLost || noted.some(({ type }) => type === 'sent')) return []
  // Its own time is by the exchange's clock, which would put it in the wrong place.
  const before = noted.slice(
    0,
    noted.findIndex(({ type }) => type === 'recovered'),
  )
  const last = before.at(-1)
  const atMs = last === undefined ? sentAtMs : createdAtMs + last.ms
  return [{ at: toTime(atMs), type: 'sent', exchangeTime: toTime(sentAtMs) }]
}

function settledOf({ settledAtMs, state, statusCode, body }: JournalRow): OrderEvent[] {
  if (settledAtMs === null) return []
  const code = body === null ? undefined : ownErrorIn(body)?.code
  return [
    {
      ...{ at: toTime(settledAtMs), type: 'settled', state },
      ...(statusCode === null ? {} : { status: statusCode }),
      ...(code === undefined ? {} : { code }),
    },
  ]
}

/** Who refused an order, and why; null when nobody did. */
export function refusalOf({ state, body }: JournalRow): OrderLife['refusal'] {
  if (body === null || (state !== 'refused' && state !== 'dropped')) return null
  const own = ownErrorIn(body)
  const isTemporary = own?.retryable ?? state === 'dropped'
  if (own === undefined || own.exchangeCode !== undefined) {
    const words = wordsOf(own === undefined ? readJson(body)?.value : toWords(own))
    const code = own?.code ?? words.code ?? ''
    return { by: 'exchange', code, message: words.message, isTemporary }
  }
  const fields = own.fields?.map(({ field, message }) => `${field} ${message}`).join('; ')
  const { code = '', message = '' } = own
  return { by: 'gateway', code, message: fields ?? message, isTemporary }
}

const toWords = ({ exchangeCode, exchangeMessage }: Partial<ErrorBody>) => ({
  code: exchangeCode,
  msg: exchangeMessage,
})

function respondedOf(logRow: LogRow | undefined, settledAtMs: number | null): OrderEvent[] {
  if (logRow === undefined) return []
  const { atMs, responseMs, statusCode, code } = logRow
  const measuredMs = atMs + responseMs
  const isSameMoment =
    settledAtMs !== null && Math.abs(settledAtMs - measuredMs) <= CLOCKS_DIFFER_MS
  const respondedMs = isSameMoment ? Math.max(settledAtMs, measuredMs) : measuredMs
  return [
    {
      ...{
        at: toTime(respondedMs),
        type: 'responded',
        status: statusCode,
        tookMs: responseMs,
      },
      ...(code === null ? {} : { code }),
    },
  ]
}

function toRelated(row: JournalRow): OrderEvent {
  const { createdAtMs, id, endpoint, state } = row
  const reason = stopReasonOf(readLifeEvents(row.events))
  return {
    ...{ at: toTime(createdAtMs), type: 'related', requestId: id, endpoint, state },
    ...(reason === undefined ? {} : { reason }),
  }
}

function toTime(ms: number): string {
  return new Date(ms).toISOString()
}
