import { BigNumber } from 'bignumber.js'
import { isRecord, textOf } from '../../src/exchanges/protocol/untrusted.ts'
import { NOT_CARRIED_OUT_STATUS } from '../../src/store/journal-store.ts'
import { accountName, type BotClient, signIn } from './clients.ts'
import type { ExchangeBook } from './exchange-book.ts'
import type { JournalEntry } from './journal-book.ts'

/** Far above what the run trades: each order is valued and counted, and none is refused. */
export const WIDE_LIMITS = {
  ...{ symbols: ['BTC*'], maxOrderValue: '100000', maxDayValue: '1000000000' },
  ...{ maxOpenOrders: 10_000, maxLeverage: 100 },
}

/** What the gateway says that a client's orders of the day are worth, USDT. */
export async function readDayValue(url: string, client: BotClient): Promise<string> {
  const response = await fetch(`${url}/api/limits`, { headers: await signIn(url, client) })
  const body: unknown = await response.json()
  const usage = isRecord(body) ? body.usage : undefined
  return (isRecord(usage) ? textOf(usage.dayValue) : undefined) ?? `HTTP ${response.status}`
}

/**
 * Compares what a gateway counts after all its restarts with the journal, and both with what is at
 * the exchange: an order that exists counts as what it is worth, unless the journal was restored.
 */
export function checkDayValues(
  dayValues: ReadonlyMap<string, string>,
  journal: readonly JournalEntry[],
  { orders }: ExchangeBook,
  isRestored: boolean,
): string[] {
  const existing = [...orders.values()].flat()
  return [...dayValues].flatMap(([clientId, counted]) => {
    const accounts = [accountName(clientId, 'mx'), accountName(clientId, 'bg')]
    const inJournal = journal
      .filter((entry) => entry.clientId === clientId && mayExist(entry))
      .reduce((sum, { valueMicros }) => sum.plus(valueMicros ?? 0), new BigNumber(0))
      .shiftedBy(-6)
    const atExchange = existing
      .filter(({ account }) => accounts.includes(account))
      .reduce(
        (sum, { size, price }) => sum.plus(new BigNumber(size).times(price ?? 0)),
        new BigNumber(0),
      )
    return [
      ...(inJournal.eq(counted)
        ? []
        : [`${clientId} has used ${counted} USDT, and the journal says ${inJournal.toFixed()}`]),
      ...(isRestored || inJournal.gte(atExchange)
        ? []
        : [
            `${clientId} has used ${counted} USDT, and its orders are worth ${atExchange.toFixed()}`,
          ]),
    ]
  })
}

function mayExist({ state, statusCode }: JournalEntry): boolean {
  if (state === 'resolved') return statusCode !== NOT_CARRIED_OUT_STATUS
  return state !== 'dropped' && state !== 'refused'
}
