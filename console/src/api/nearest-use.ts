import { type ClientNow, percentOf } from 'schema'
import { formatCount } from '../components/format.ts'
import { formatNumber } from '../components/locale.ts'
import * as texts from './exchange-texts.ts'

/** From this part of a limit on, it is worth a look. */
export const NEAR_PERCENT = 80

export interface NearestUse {
  readonly name: string
  /** `1,640.5 of 2,000, 82 %`. */
  readonly use: string
  /** As `percentOf` rounds it. */
  readonly percent: number
}

/** How much of the limit is used of which most is used. */
export function nearestUse(nearest: NonNullable<ClientNow['nearestLimit']>): NearestUse {
  const { limit, used, max } = nearest
  const percent = percentOf(used, max)
  const use = texts.limitUse(formatNumber(used), formatNumber(max), percent)
  return { name: texts.limitNames[limit], use, percent }
}

/** What limits in shadow mode did not do: `would have refused 4 orders (shadow)`. */
export function shadowWords(count: number): string {
  return texts.wouldHaveRefused(formatCount(count), count === 1)
}
