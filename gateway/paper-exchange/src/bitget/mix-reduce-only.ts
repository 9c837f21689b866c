import { positionAt } from '../account.ts'
import type { ContractDraft } from '../contract-order.ts'
import { minOf } from '../decimal.ts'
import type { SignedCall } from '../family.ts'

/**
 * What Bitget makes of a closing order that is too large. One-way: it shrinks to what is held.
 * Hedge, market: when resting orders occupy all that is held they give way, when they occupy a part
 * the order closes the rest (documentation, since 2025-07-31).
 */
export function fitReduceOnly({ venue }: SignedCall, draft: ContractDraft): ContractDraft {
  const { account, market, slot } = draft
  const held = positionAt(account, market, slot)
  if (!draft.isReduceOnly || held === undefined) return draft
  if (slot !== 'net' && draft.price !== null) return draft
  const occupied = venue.contracts.closing(account, market, slot)
  if (slot === 'net' || occupied.gte(held.size)) {
    venue.contracts.cancelClosing(account, market, slot)
    return { ...draft, size: minOf(draft.size, held.size) }
  }
  return { ...draft, size: minOf(draft.size, held.size.minus(occupied)) }
}
