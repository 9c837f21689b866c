import type { LimitUsage, LimitUse } from 'schema'
import { formatTimeOfDay } from '../../components/format.ts'
import { formatNumber } from '../../components/locale.ts'
import * as limitsTexts from './limits-texts.ts'

const texts = limitsTexts.usage
/** From this part of a limit on, it is worth a look. */
const NEAR_PERCENT = 80

export function nearness(percent: number | null): 'free' | 'near' | 'reached' {
  if (percent === null || percent < NEAR_PERCENT) return 'free'
  return percent < 100 ? 'near' : 'reached'
}

/**
 * `1,640.5 of 2,000 USDT`; without a limit `3, no limit`. Open orders are the most there can be,
 * with the time at which they were last compared with the exchange: `up to 3 of 20, not checked
 * since 14:30:22`.
 */
export function formatUse(
  { limit, used, allowed }: LimitUse,
  { openOrdersReadAt }: Pick<LimitUsage, 'openOrdersReadAt'>,
): string {
  const unit = limit === 'maxDayValue' ? ' USDT' : ''
  const use =
    allowed === null
      ? texts.noLimit(`${formatNumber(used)}${unit}`)
      : texts.of(formatNumber(used), `${formatNumber(allowed)}${unit}`)
  if (limit !== 'maxOpenOrders' || used === 0) return use
  return openOrdersReadAt === null
    ? texts.neverChecked(use)
    : texts.upTo(use, formatTimeOfDay(Date.parse(openOrdersReadAt)))
}
