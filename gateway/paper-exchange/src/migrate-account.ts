import { type Account, futuresWallet } from './account.ts'
import { ZERO } from './decimal.ts'
import { createPurse } from './futures-wallet.ts'

export const MIGRATION_TARGETS = ['unified', 'classic', 'switching'] as const
export type MigrationTarget = (typeof MIGRATION_TARGETS)[number]

const MARGIN_COIN = 'USDT'

/**
 * Turns a Bitget account into the other kind while it runs, as its owner or Bitget can. Orders that
 * rest, positions and their stops stay as they are and are found in the other family, by the same
 * ids. What the real exchange does with them is not documented (docs/exchanges/bitget-unified.md,
 * 1), nor how it divides the money on the way back.
 *
 * - `unified`: what is free for futures joins the pot.
 * - `classic`: half of the free margin coin goes to the futures account.
 * - `switching`: neither family serves the account until it becomes one of the two.
 */
export function migrateAccount(account: Account, to: MigrationTarget): void {
  account.isSwitching = to === 'switching'
  if (to === 'unified' && !account.isUnified) joinPot(account)
  if (to === 'classic' && account.isUnified) leavePot(account)
}

function joinPot(account: Account): void {
  account.isUnified = true
  for (const [coin, wallet] of account.futures.wallets)
    wallet.moveTo(account.spot.purse(coin), wallet.available)
}

function leavePot(account: Account): void {
  futuresWallet(account, MARGIN_COIN)
  account.isUnified = false
  for (const wallet of account.futures.wallets.values())
    wallet.moveTo(createPurse(ZERO), wallet.available.dividedBy(2).decimalPlaces(18))
}
