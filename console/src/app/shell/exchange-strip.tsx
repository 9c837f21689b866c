import { Tooltip, VisuallyHidden } from '@mantine/core'
import { EXCHANGE_NAMES, type ExchangeNow, type Operations } from 'schema'
import { Link, useLocation } from 'wouter'
import { STATE_LOOKS, waitingBriefly, waitingWords } from '../../api/exchange-state.ts'
import * as exchangeTexts from '../../api/exchange-texts.ts'
import { type Lost, STRIP_EVERY_MS, useLost, useOperations } from '../../api/queries.tsx'
import { formatRoughly, formatTimeOfDay } from '../../components/format.ts'
import { PARTS } from '../../components/page.tsx'
import { type Sign, StateSign } from '../../components/signs.tsx'
import { useNow } from '../../components/timers.ts'
import { addresses, isCurrent } from '../addresses.ts'
import classes from './exchange-strip.module.css'
import * as texts from './texts.ts'

/** Older than its pace and the time that a read takes, it may say what is not so any more. */
const OLD_MS = STRIP_EVERY_MS + 1000

/** The worst first: what is cut on a phone is calm. */
const WORST_FIRST = ['broken', 'stopped', 'paused', 'unknown', 'held', 'running'] as const

interface Item {
  readonly kind: (typeof WORST_FIRST)[number]
  readonly sign: Sign
  /** The part of the Operations page that it leads to. */
  readonly part: string
  readonly name: string
  readonly words: string
  /** For a narrow screen. */
  readonly brief: string
  readonly reason?: string | undefined
}

/**
 * The state of the exchanges on every page, and how old that knowledge is. The Operations page
 * reads more often; then the strip shows what it reads.
 */
export function ExchangeStrip() {
  const [location] = useLocation()
  const operations = useOperations(STRIP_EVERY_MS, isCurrent(addresses.operations, location))
  const lost = useLost(operations)
  const { data, readAtMs } = operations
  const nowMs = useNow(true)
  const isOld = lost !== null || (readAtMs !== null && nowMs - readAtMs > OLD_MS)
  return (
    <nav aria-label={texts.strip} className={classes.strip} data-old={isOld}>
      {data &&
        itemsOf(data, nowMs - (readAtMs ?? nowMs)).map((item) => (
          <ExchangeLink key={item.part} item={item} isOld={isOld} />
        ))}
      <span className={classes.age}>{ageWords(readAtMs, lost, nowMs)}</span>
      <VisuallyHidden aria-live="polite">
        {data?.exchanges
          .filter(({ state }) => state !== 'running')
          .map(
            ({ exchange, state }) => `${EXCHANGE_NAMES[exchange]}: ${STATE_LOOKS[state].name}. `,
          )}
        {lost === 'offline' && texts.stripOffline}
      </VisuallyHidden>
    </nav>
  )
}

/** @param ageMs how long ago it was read */
function itemsOf(data: Operations, ageMs: number): readonly Item[] {
  // By the gateway's clock at the time of the response, and this one's since then.
  const ageOf = (time: string) =>
    formatRoughly(Math.max(0, Date.parse(data.at) - Date.parse(time) + ageMs))
  const count = data.unknownOrders + data.unknownCancels
  const unknown: Item = {
    ...{ kind: 'unknown', sign: 'bad', part: PARTS.outcomes, name: texts.unknown },
    ...{ words: texts.outcomes(count), brief: `${count}` },
  }
  // Beside what is unknown, a narrow screen has no room for the age.
  const items = data.exchanges.map((now) => itemOf(now, ageOf, count > 0))
  return [...items, ...(count > 0 ? [unknown] : [])].toSorted(
    (a, b) => WORST_FIRST.indexOf(a.kind) - WORST_FIRST.indexOf(b.kind),
  )
}

function itemOf(now: ExchangeNow, ageOf: (time: string) => string, isCrowded: boolean): Item {
  const { exchange, state, since, reason, queueSize, accounts } = now
  const { sign, name: stateName, meaning } = STATE_LOOKS[state]
  const [part, name, waiting] = [
    PARTS.exchange(exchange),
    EXCHANGE_NAMES[exchange],
    queueSize > 0 ? [waitingWords(now)] : [],
  ]
  if (state === 'running' && accounts.length > 0) {
    const held = texts.held(accounts.length)
    return {
      ...{ kind: 'held', sign: 'waiting', part, name, words: [held, ...waiting].join(', ') },
      brief: held,
      reason: texts.heldMeaning(accounts.map(({ clientId }) => clientId).join(', ')),
    }
  }
  if (state === 'running')
    return {
      ...{ kind: state, sign, part, name, words: waitingWords(now), brief: waitingBriefly(now) },
      reason: queueSize > 0 ? exchangeTexts.waitMeaning : undefined,
    }
  const word = stateName.toLowerCase()
  const age = since === null ? '' : ageOf(since)
  const lasting = age === '' ? word : texts.lasting(word, age)
  return {
    ...{ kind: state, sign, part, name, brief: isCrowded ? word : `${word} ${age}` },
    words: [lasting, ...(state === 'paused' ? waiting : [])].join(', '),
    reason: reason ?? meaning,
  }
}

interface ExchangeLinkProps {
  readonly item: Item
  /** It may not be so any more. */
  readonly isOld: boolean
}

/** Leads to the Operations page; the reason appears on hover, on touch and on keyboard focus. */
function ExchangeLink({ item, isOld }: ExchangeLinkProps) {
  const { kind, sign, part, name, words, brief, reason } = item
  const link = (
    <Link
      href={`${addresses.operations}#${part}`}
      className={classes.item ?? ''}
      data-calm={kind === 'running'}
      // For when that page is open already; else the part scrolls itself into view.
      onClick={() => document.getElementById(part)?.scrollIntoView()}
    >
      <b>{name}</b>
      {!isOld && <StateSign sign={sign} />}
      <span className={classes.words}>{words}</span>
      <span className={classes.brief}>{brief}</span>
    </Link>
  )
  if (reason === undefined) return link
  return (
    <Tooltip label={reason} style={{ overflowWrap: 'anywhere' }}>
      {link}
    </Tooltip>
  )
}

/** How old the data is. */
function ageWords(readAtMs: number | null, lost: Lost, nowMs: number): string {
  const since = readAtMs === null ? '' : texts.since(formatTimeOfDay(readAtMs))
  if (lost === 'offline') return texts.noNetwork(since)
  if (lost === 'failed') return texts.noData(since)
  if (readAtMs === null) return texts.reading
  const ageMs = nowMs - readAtMs
  if (ageMs > OLD_MS) return texts.old(formatRoughly(ageMs))
  return ageMs < 1000 ? texts.updatedNow : texts.updated(formatRoughly(ageMs))
}
