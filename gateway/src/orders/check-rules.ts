import { EXCHANGE_NAMES, type FieldProblem } from 'schema'
import { checkOrder, type OrderProblem, type OrderToCheck } from '../exchanges/check-order.ts'
import type { RulesKey, SymbolRules } from '../exchanges/symbol-rules.ts'
import type { RulesCache } from '../upstream/rules-cache.ts'
import { OrderInvalidError } from './errors.ts'

const WHAT = { spot: 'spot symbol', futures: 'futures contract' } as const

/**
 * Checks an order against the exchange's rules for its symbol and returns the rules.
 * @param names the caller's names of the fields, where they differ
 * @throws OrderInvalidError with every wrong field; what reading the rules throws
 */
export async function checkRules(
  rules: RulesCache,
  key: RulesKey,
  order: OrderToCheck,
  names: Partial<Record<OrderProblem['field'], string>> = {},
): Promise<SymbolRules> {
  const found = await rules.get(key)
  if (found === undefined)
    throw new OrderInvalidError([
      {
        field: 'symbol',
        message: `${EXCHANGE_NAMES[key.exchange]} has no ${WHAT[key.market]} "${key.symbol}"`,
      },
    ])
  rejectProblems(
    checkOrder(found, order).map(({ field, message }) => ({
      field: names[field] ?? field,
      message,
    })),
  )
  return found
}

/** @throws OrderInvalidError with all problems, when there are any */
export function rejectProblems(problems: readonly FieldProblem[]): void {
  if (problems.length > 0) throw new OrderInvalidError(problems)
}
