/**
 * The button of the list that an arrow key leads to from another one: the same column of the next
 * row, or the next value of the row. Undefined for other keys, and where there is none.
 */
export function buttonByKey(key: string, from: EventTarget): HTMLButtonElement | undefined {
  const button = from instanceof Element ? from.closest('button') : null
  const cell = button?.closest('td')
  const row = cell?.parentElement
  if (!button || !cell || !row) return undefined
  if (key === 'ArrowUp') return inRow(row.previousElementSibling, cell.cellIndex)
  if (key === 'ArrowDown') return inRow(row.nextElementSibling, cell.cellIndex)
  const step = { ArrowLeft: -1, ArrowRight: 1 }[key]
  if (step === undefined) return undefined
  const buttons = [...row.querySelectorAll('button')]
  return buttons[buttons.indexOf(button) + step]
}

/** A value that a row has not leads to what every row has. */
function inRow(row: Element | null, column: number): HTMLButtonElement | undefined {
  const buttons = [...(row?.querySelectorAll('button') ?? [])]
  const inColumn = buttons.find((button) => button.closest('td')?.cellIndex === column)
  return inColumn ?? buttons.find((button) => button.dataset.opens !== undefined)
}
