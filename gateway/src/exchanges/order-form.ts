import type { BgFuturesOrder, BgModifyOrder, MxSubmitOrder } from 'schema'
import { marketOf } from './mexc/calls.ts'

/**
 * What is wrong with an order before anyone is asked: parts that do not go together. Fields as the
 * caller wrote them.
 */
export interface FormProblem {
  readonly field: string
  readonly message: string
}

/** Whether a MEXC order makes sense for the market that its symbol names. */
export function mexcOrderProblems(order: MxSubmitOrder): FormProblem[] {
  const { symbol, leverage, openType, reduceOnly } = order
  if (marketOf(symbol) === 'spot') {
    return Object.entries({ leverage, openType, reduceOnly })
      .filter(([, value]) => value !== undefined)
      .map(([field]) => ({
        field,
        message: `Only for futures, and "${symbol}" is a spot pair; futures symbols have an underscore`,
      }))
  }
  if (openType === 'isolated' && leverage === undefined && reduceOnly !== true) {
    return [{ field: 'leverage', message: 'Isolated margin requires a leverage' }]
  }
  return []
}

export function bitgetFuturesProblems(order: BgFuturesOrder): FormProblem[] {
  const problems: FormProblem[] = []
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

/** What Bitget would ignore or refuse of a change. */
export function bitgetModifyProblems(change: BgModifyOrder): FormProblem[] {
  const { newSize, newPrice, newPresetStopSurplusPrice, newPresetStopLossPrice } = change
  const hasSize = newSize !== undefined
  const hasPrice = newPrice !== undefined
  const hasStops = newPresetStopSurplusPrice !== undefined || newPresetStopLossPrice !== undefined
  const problems: FormProblem[] = []
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
