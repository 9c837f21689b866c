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
const WORST_FIRST: readonly ExchangeNow['state'][] = ['broken', 'stopped', 'paused', 'running']

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
      {data && <ExchangeLinks data={data} ageMs={nowMs - (readAtMs ?? nowMs)} isOld={isOld} />}
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

interface ExchangeLinksProps {
  readonly data: Operations
  /** How long ago it was read. */
  readonly ageMs: number
  readonly isOld: boolean
}

function ExchangeLinks({ data, ageMs, isOld }: ExchangeLinksProps) {
  // By the gateway's clock at the time of the response, and this one's since then.
  const ageOf = (time: string) => Date.parse(data.at) - Date.parse(time) + ageMs
  const unknown = data.unknownOrders + data.unknownCancels
  const rankOf = ({ state }: ExchangeNow) => WORST_FIRST.indexOf(state)
  const [bad, calm] = [
    data.exchanges.filter(({ state }) => state !== 'running'),
    data.exchanges.filter(({ state }) => state === 'running'),
  ]
  const toLink = (now: ExchangeNow) => (
    <ExchangeLink
      key={now.exchange}
      now={now}
      ageOf={ageOf}
      isCrowded={unknown > 0}
      isOld={isOld}
    />
  )
  return (
    <>
      {bad.toSorted((a, b) => rankOf(a) - rankOf(b)).map(toLink)}
      {unknown > 0 && (
        <Item
          sign={isOld ? null : 'bad'}
          part={PARTS.outcomes}
          name={texts.unknown}
          words={texts.outcomes(unknown)}
          brief={`${unknown}`}
        />
      )}
      {calm.map(toLink)}
    </>
  )
}

interface ExchangeLinkProps {
  readonly now: ExchangeNow
  readonly ageOf: (time: string) => number
  /** A narrow screen has no room for the age. */
  readonly isCrowded: boolean
  readonly isOld: boolean
}

function ExchangeLink({ now, ageOf, isCrowded, isOld }: ExchangeLinkProps) {
  const { exchange, state, since, reason } = now
  const look = STATE_LOOKS[state]
  const age = since === null ? null : formatRoughly(Math.max(0, ageOf(since)))
  const name = look.name.toLowerCase()
  const isRunning = state === 'running'
  const waits = state === 'paused' && now.queueSize > 0
  return (
    <Item
      sign={isOld ? null : look.sign}
      isCalm={isRunning}
      name={EXCHANGE_NAMES[exchange]}
      words={
        isRunning
          ? waitingWords(now)
          : [
              age === null ? name : texts.lasting(name, age),
              ...(waits ? [waitingWords(now)] : []),
            ].join(', ')
      }
      brief={isRunning ? waitingBriefly(now) : isCrowded ? name : `${name} ${age ?? ''}`}
      part={PARTS.exchange(exchange)}
      reason={
        isRunning
          ? now.queueSize > 0
            ? exchangeTexts.waitMeaning
            : null
          : (reason ?? look.meaning)
      }
    />
  )
}

interface ItemProps {
  /** Null when it may not be so any more. */
  readonly sign: Sign | null
  readonly isCalm?: boolean
  /** The part of the Operations page that it leads to. */
  readonly part: string
  readonly name: string
  readonly words: string
  /** For a narrow screen. */
  readonly brief: string
  readonly reason?: string | null
}

/** Leads to the Operations page; the reason appears on hover, on touch and on keyboard focus. */
function Item({ sign, isCalm = false, part, name, words, brief, reason = null }: ItemProps) {
  const link = (
    <Link
      href={`${addresses.operations}#${part}`}
      className={classes.item ?? ''}
      data-calm={isCalm}
      // For when that page is open already; else the part scrolls itself into view.
      onClick={() => document.getElementById(part)?.scrollIntoView()}
    >
      <b>{name}</b>
      {sign !== null && <StateSign sign={sign} />}
      <span className={classes.words}>{words}</span>
      <span className={classes.brief}>{brief}</span>
    </Link>
  )
  if (reason === null) return link
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
