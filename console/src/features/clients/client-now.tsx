import { Text } from '@mantine/core'
import {
  type LimitsWithUsage,
  type LimitUsage,
  type LimitUse,
  limitUse,
  wouldHaveRefused,
} from 'schema'
import { shadowWords } from '../../api/exchange-state.ts'
import { limitNames } from '../../api/exchange-texts.ts'
import { type Query, useOperationsOfStrip } from '../../api/queries.tsx'
import {
  formatCount,
  formatNumber,
  formatRoughly,
  formatTimeOfDay,
} from '../../components/format.ts'
import { Icon } from '../../components/icons.tsx'
import { Card } from '../../components/page.tsx'
import { LiveSign } from '../../components/signs.tsx'
import { useNow } from '../../components/timers.ts'
import classes from './client-page.module.css'
import * as texts from './client-page-texts.ts'
import { USAGE_EVERY_MS } from './client-state.tsx'
import { nearness } from './use-clients.ts'

interface ClientNowProps {
  readonly id: number
  readonly limits: LimitsWithUsage
  readonly query: Pick<Query<LimitsWithUsage>, 'readAtMs' | 'error'>
}

/** What the client does now, and how much of its limits that uses. */
export function ClientNow({ id, limits, query }: ClientNowProps) {
  const refused = wouldHaveRefused(limits, limits.usage)
  return (
    <Card title={texts.now.title} actions={<LiveSign of={query} everyMs={USAGE_EVERY_MS} />}>
      <Figures id={id} openOrders={limits.usage.openOrders} />
      <div className={classes.bars}>
        {limitUse(limits, limits.usage).map((use) => (
          <UsageBar key={use.limit} use={use} usage={limits.usage} isShadow={refused !== null} />
        ))}
      </div>
      {refused !== null && (
        <Text fz="sm" mt="md">
          {texts.inShadow(shadowWords(refused))}
        </Text>
      )}
    </Card>
  )
}

function Figures({ id, openOrders }: { readonly id: number; readonly openOrders: number }) {
  const { data } = useOperationsOfStrip()
  const nowMs = useNow(true)
  const now = data?.clients.find((client) => client.id === id)
  const seenAt = now?.lastSeenAt ?? null
  // A client that is not listed made no request for a day.
  const count = (value: number | undefined) =>
    data === undefined ? undefined : formatCount(value ?? 0)
  const figures = [
    [texts.now.requests, count(now?.requestsLastMinute)],
    [texts.now.errors, count(now?.failedLastMinute), (now?.failedLastMinute ?? 0) > 0],
    [texts.now.waiting, count(now?.waiting)],
    [texts.now.openOrders, formatCount(openOrders)],
    [
      texts.now.lastSeen,
      data &&
        (seenAt === null
          ? texts.now.longAgo
          : texts.now.ago(formatRoughly(Math.max(0, nowMs - Date.parse(seenAt))))),
    ],
  ] as const
  return (
    <dl className={classes.figures}>
      {figures.map(([name, value, isBad = false]) => (
        <div key={name} data-bad={isBad}>
          <dt>{name}</dt>
          <dd>{value ?? '–'}</dd>
        </div>
      ))}
    </dl>
  )
}

interface UsageBarProps {
  readonly use: LimitUse
  readonly usage: LimitUsage
  /** It refuses nothing: it is neither near nor reached. */
  readonly isShadow: boolean
}

/** One limit: how much of it is used, in numbers, as a bar, and in a word when it runs out. */
function UsageBar({ use, usage, isShadow }: UsageBarProps) {
  const { near, reached } = texts.usage
  const { limit, used, allowed, percent } = use
  const id = `usage-${limit}`
  const state = isShadow ? 'free' : nearness(percent)
  const numbers = formatUse(use, usage)
  return (
    <div data-state={state}>
      <div className={classes.line}>
        <span id={id}>{limitNames[limit]}</span>
        <span className={classes.numbers}>{numbers}</span>
      </div>
      {allowed !== null && percent !== null && (
        <>
          {/* biome-ignore lint/a11y/useSemanticElements: browsers draw a <meter> their own way, without stripes. */}
          <div
            role="meter"
            aria-labelledby={id}
            aria-valuemin={0}
            aria-valuemax={allowed}
            aria-valuenow={Math.min(used, allowed)}
            aria-valuetext={`${numbers}, ${percent} %`}
            className={classes.track}
          >
            <div className={classes.fill} style={{ width: `${Math.min(percent, 100)}%` }} />
          </div>
          <div className={classes.line}>
            <span className={classes.word}>
              {state !== 'free' && <Icon name={state === 'near' ? 'alert' : 'ban'} size={14} />}
              {state === 'near' && near}
              {state === 'reached' && reached}
            </span>
            <span>{`${percent} %`}</span>
          </div>
        </>
      )}
    </div>
  )
}

/**
 * `1,640.5 of 2,000 USDT`; without a limit `3, no limit`. Open orders are the most there can be,
 * with the time at which they were last compared with the exchange: `up to 3 of 20, not checked
 * since 14:30:22`.
 */
function formatUse(
  { limit, used, allowed }: LimitUse,
  { openOrdersReadAt }: Pick<LimitUsage, 'openOrdersReadAt'>,
): string {
  const { noLimit, of, neverChecked, upTo } = texts.usage
  const unit = limit === 'maxDayValue' ? ' USDT' : ''
  const use =
    allowed === null
      ? noLimit(`${formatNumber(used)}${unit}`)
      : of(formatNumber(used), `${formatNumber(allowed)}${unit}`)
  if (limit !== 'maxOpenOrders' || used === 0) return use
  return openOrdersReadAt === null
    ? neverChecked(use)
    : upTo(use, formatTimeOfDay(Date.parse(openOrdersReadAt)))
}
