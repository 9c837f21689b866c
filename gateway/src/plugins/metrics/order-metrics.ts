import { Counter, Gauge, type Registry } from 'prom-client'
import { EXCHANGES, type ExchangeCode, FINAL_ORDER_STATES, OPEN_ORDER_STATES } from 'schema'
import type { FinalState, JournalStore } from '../../store/journal-store.ts'

const ENDS = [...FINAL_ORDER_STATES, 'unknown'] as const

/** The journal of orders: how many are open, and how orders end. */
export function createOrderMetrics(registry: Registry) {
  const open = new Gauge({
    name: 'sluice_orders_open',
    help: 'Unsettled orders and cancels in the journal, by state',
    labelNames: ['state'] as const,
    registers: [registry],
  })
  const ends = new Counter({
    name: 'sluice_orders_total',
    help: 'Orders and cancels since the start, by outcome; unknown ones count again as resolved once they are found',
    labelNames: ['exchange', 'state'] as const,
    registers: [registry],
  })
  for (const exchange of EXCHANGES) for (const state of ENDS) ends.inc({ exchange, state }, 0)

  return {
    ended: (exchange: ExchangeCode, state: FinalState | 'unknown') => ends.inc({ exchange, state }),

    /** Counts the open orders; the journal has an index for it. */
    async refresh(journal: Pick<JournalStore, 'countOpen'>): Promise<void> {
      const counts = await journal.countOpen()
      for (const state of OPEN_ORDER_STATES) open.set({ state }, counts[state])
    },
  }
}
