import { Counter, type Registry } from 'prom-client'
import { LIMIT_CODES } from 'schema'
import type { LimitReached } from '../../upstream/events.ts'

const MODES = ['enforce', 'shadow'] as const

/** Requests that limits of clients refused, or in shadow mode would have. */
export function createLimitMetrics(registry: Registry) {
  const refusals = new Counter({
    name: 'sluice_limit_refusals_total',
    help: 'Requests that a limit of their client refused, or in shadow mode would have, by code',
    labelNames: ['code', 'mode'] as const,
    registers: [registry],
  })
  for (const code of LIMIT_CODES) for (const mode of MODES) refusals.inc({ code, mode }, 0)

  return {
    reached: ({ code, mode }: Pick<LimitReached, 'code' | 'mode'>) => refusals.inc({ code, mode }),
  }
}
