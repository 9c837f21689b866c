import { Gauge, type Registry } from 'prom-client'
import { EXCHANGES } from 'schema'
import type { ApiKeyListRow } from '../../store/api-key-store.ts'

const DAY_MS = 86_400_000

const WITHDRAWAL = [
  ['yes', true],
  ['no', false],
  ['unknown', null],
] as const

/** The stored exchange keys. No label names a client: the alert does. */
export function createKeyMetrics(registry: Registry) {
  const daysLeft = new Gauge({
    name: 'sluice_exchange_key_days_left',
    help: 'Fewest days until one of the stored keys expires, where the exchange reports it',
    labelNames: ['exchange'] as const,
    registers: [registry],
  })
  const withdrawal = new Gauge({
    name: 'sluice_exchange_keys',
    help: 'Stored keys, by whether they may withdraw',
    labelNames: ['exchange', 'withdrawal'] as const,
    registers: [registry],
  })
  return {
    refresh(
      rows: readonly Pick<ApiKeyListRow, 'exchange' | 'expiresAtMs' | 'canWithdraw'>[],
      nowMs: number,
    ): void {
      daysLeft.reset()
      for (const exchange of EXCHANGES)
        for (const [label, value] of WITHDRAWAL)
          withdrawal.set(
            { exchange, withdrawal: label },
            rows.filter((row) => row.exchange === exchange && row.canWithdraw === value).length,
          )
      for (const exchange of EXCHANGES) {
        const ends = rows.flatMap((row) =>
          row.exchange === exchange && row.expiresAtMs !== null ? [row.expiresAtMs] : [],
        )
        if (ends.length > 0) daysLeft.set({ exchange }, (Math.min(...ends) - nowMs) / DAY_MS)
      }
    },
  }
}
