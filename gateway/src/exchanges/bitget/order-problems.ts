import type { BgFuturesOrder, BgModifyOrder, FieldProblem } from 'schema'

export function futuresOrderProblems(order: BgFuturesOrder): FieldProblem[] {
  const problems: FieldProblem[] = []
  for (const leg of ['stopSurplus', 'stopLoss'] as const) {
    if (order[`${leg}TriggerType`] !== undefined && order[`${leg}TriggerPrice`] === undefined) {
      problems.push({
        field: `${leg}TriggerType`,
        message: `Requires ${leg}TriggerPrice`,
      })
    }
  }
  if (order.tradeSide !== undefined && order.reduceOnly === true) {
    problems.push({
      field: 'reduceOnly',
      message:
        'reduceOnly is for one-way mode and tradeSide for hedge mode; give the one that matches the account',
    })
  }
  return problems
}

/** What Bitget would ignore or reject of a change. */
export function modifyOrderProblems(change: BgModifyOrder): FieldProblem[] {
  const { newSize, newPrice, newPresetStopSurplusPrice, newPresetStopLossPrice } = change
  const hasSize = newSize !== undefined
  const hasPrice = newPrice !== undefined
  const hasStops = newPresetStopSurplusPrice !== undefined || newPresetStopLossPrice !== undefined
  const problems: FieldProblem[] = []
  if (hasSize !== hasPrice) {
    problems.push({
      field: hasSize ? 'newPrice' : 'newSize',
      message: 'newSize and newPrice go together',
    })
  }
  if (hasStops && (hasSize || hasPrice)) {
    problems.push({
      field:
        newPresetStopSurplusPrice === undefined
          ? 'newPresetStopLossPrice'
          : 'newPresetStopSurplusPrice',
      message: 'Bitget ignores it next to a new size and price; change it on its own',
    })
  }
  if (!hasStops && !hasSize && !hasPrice) {
    problems.push({ field: 'newSize', message: 'Give at least one value to change' })
  }
  if (change.newClientOid !== undefined && change.newClientOid === change.clientOid) {
    problems.push({
      field: 'newClientOid',
      message: 'Must differ from the id of the old order',
    })
  }
  return problems
}
