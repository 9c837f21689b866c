import { positionAt } from '../account.ts'
import type { ContractDraft } from '../contract-order.ts'
import { minOf } from '../decimal.ts'
import type { SignedCall } from '../family.ts'

/**
 * What Bitget makes of a closing order that is too large. One-way: it shrinks to what is held, and
 * orders that it displaces are cancelled. Hedge, market: when resting orders occupy all that is
 * held they give way, when they occupy a part the order closes the rest (documentation, since
 * 2025-07-31).
 */
export function fitReduceOnly(call: SignedCall, draft: ContractDraft): ContractDraft {
  const { contracts } = call.venue
  const { account, market, slot } = draft
  const held = positionAt(account, market, slot)
  if (!draft.isReduceOnly || held === undefined) return draft
  if (slot !== 'net' && draft.price !== null) return draft
  const occupied = contracts.closing(account, market, slot)
  if (slot === 'net' ? isDisplacing(call, draft) : occupied.gte(held.size)) {
    contracts.cancelClosing(account, market, slot)
    return { ...draft, size: minOf(draft.size, held.size) }
  }
  return { ...draft, size: minOf(draft.size, held.size.minus(occupied)) }
}

/**
 * One-way mode: whether a closing order takes the place of those that rest, because it is as large
 * as the position or larger than what they leave of it (page of v3's place-order).
 */
export function isDisplacing({ venue }: SignedCall, draft: ContractDraft): boolean {
  const { account, market, slot, size, isReduceOnly } = draft
  const held = positionAt(account, market, slot)
  if (!isReduceOnly || held === undefined) return false
  const occupied = venue.contracts.closing(account, market, slot)
  return !occupied.isZero() && (size.gte(held.size) || size.gt(held.size.minus(occupied)))
}
