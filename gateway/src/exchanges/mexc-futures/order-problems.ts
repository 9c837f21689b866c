import type { FieldProblem, MxSubmitOrder } from 'schema'

/** What a futures order lacks. */
export function submitOrderProblems(order: MxSubmitOrder): FieldProblem[] {
  const { leverage, openType, reduceOnly } = order
  if (openType === 'isolated' && leverage === undefined && reduceOnly !== true)
    return [{ field: 'leverage', message: 'Isolated margin requires a leverage' }]
  return []
}
