import type { LimitUse } from 'schema'
import { formatNumber } from '../../components/locale.ts'
import * as limitsTexts from './limits-texts.ts'

const texts = limitsTexts.usage
/** From this part of a limit on, it is worth a look. */
const NEAR_PERCENT = 80

export function nearness(percent: number | null): 'free' | 'near' | 'reached' {
  if (percent === null || percent < NEAR_PERCENT) return 'free'
  return percent < 100 ? 'near' : 'reached'
}

/** `1,640.5 of 2,000 USDT`, `3 of 20`; without a limit `3, no limit`. */
export function formatUse({ limit, used, allowed }: LimitUse): string {
  const unit = limit === 'maxDayValue' ? ' USDT' : ''
  if (allowed === null) return texts.noLimit(`${formatNumber(used)}${unit}`)
  return texts.of(formatNumber(used), `${formatNumber(allowed)}${unit}`)
}
