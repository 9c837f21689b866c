import type { FieldProblem, MxSubmitOrder } from 'schema'

/** What a spot order cannot have. */
export function submitOrderProblems(order: MxSubmitOrder): FieldProblem[] {
  const { symbol, leverage, openType, reduceOnly } = order
  return Object.entries({ leverage, openType, reduceOnly })
    .filter(([, value]) => value !== undefined)
    .map(([field]) => ({
      field,
      message: `Only for futures, and "${symbol}" is a spot pair; futures symbols have an underscore`,
    }))
}
