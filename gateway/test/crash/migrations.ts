import type { PaperControl } from '../../paper-exchange/src/control.ts'
import { accountName, type BotClient } from './clients.ts'
import { between, chance, pick } from './world.ts'

/**
 * Migrating takes about a minute at the exchange; here moments (docs/exchanges/bitget-unified.md,
 * 1).
 */
const SWITCHING_MS = { min: 20, max: 400 } as const

/**
 * Turns the Bitget accounts of some bots into the other kind and back, now and then, until it is
 * stopped. On the way, half of them are served by neither API for moments.
 */
export function startMigrations(
  paper: Pick<PaperControl, 'accounts'>,
  clients: readonly Pick<BotClient, 'clientId'>[],
  random: () => number,
) {
  let count = 0
  const timers = new Set<NodeJS.Timeout>()
  const later = (ms: number, what: () => void) => {
    const timer = setTimeout(() => {
      timers.delete(timer)
      what()
    }, ms)
    timers.add(timer)
  }

  function next(): void {
    if (clients.length === 0) return
    const name = accountName(pick(random, clients).clientId, 'bg')
    const account = paper.accounts.list().find((each) => each.name === name)
    if (account !== undefined && !account.switching) {
      const to = account.unified ? 'classic' : 'unified'
      count += 1
      if (chance(random, 0.5)) paper.accounts.migrate(name, to)
      else {
        paper.accounts.migrate(name, 'switching')
        later(between(random, SWITCHING_MS.min, SWITCHING_MS.max), () =>
          paper.accounts.migrate(name, to),
        )
      }
    }
    later(between(random, 500, 2_000), next)
  }
  next()

  return {
    /** Ends the migrations; what is on its way arrives. @returns how many there were */
    stop(): number {
      for (const timer of timers) clearTimeout(timer)
      for (const { name, exchange, switching } of paper.accounts.list())
        if (exchange === 'bg' && switching) paper.accounts.migrate(name, 'unified')
      return count
    },
  }
}
