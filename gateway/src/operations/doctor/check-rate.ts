import { EXCHANGES } from 'schema'
import type { Config } from '../../config.ts'
import { compareRate } from '../rate-setting.ts'
import { about, type Finding } from './finding.ts'

/** Checks the configured rate by the limits of each exchange. */
export function checkRate({ lane }: Pick<Config, 'lane'>): readonly Finding[] {
  const { ok, warn } = about('rate limit')
  return EXCHANGES.map((exchange) => {
    const { isExceeded, found, advice } = compareRate(exchange, lane.ratePerSecond)
    return isExceeded ? warn(found, advice) : ok(found)
  })
}
