import type { ContractBook } from './contract-book.ts'
import type { ContractDraft } from './contract-order.ts'
import { OrderRejectedError } from './errors.ts'

/**
 * Places what a price has triggered.
 * @returns undefined when it was rejected: as on a real exchange, it is gone then
 */
export function placeTriggered(contracts: ContractBook, draft: ContractDraft) {
  try {
    return contracts.place(draft)
  } catch (error) {
    if (!(error instanceof OrderRejectedError)) throw error
    return undefined
  }
}
