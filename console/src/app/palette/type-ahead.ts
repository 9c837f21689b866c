/** The field takes this long to come at most, ms; after that, keys are the page's again. */
const WAIT_MAX_MS = 3_000

let typed: { text: string; readonly untilMs: number } | null = null

/** From now on, keys are kept for the palette's field, which is on its way. */
export function startTypeAhead({ timeStamp }: KeyboardEvent): void {
  typed = { text: '', untilMs: timeStamp + WAIT_MAX_MS }
}

/** @returns whether the key was kept */
export function keepTyped({ key, ctrlKey, metaKey, timeStamp }: KeyboardEvent): boolean {
  if (typed === null || timeStamp > typed.untilMs) return false
  if (ctrlKey || metaKey || [...key].length !== 1) return false
  typed.text += key
  return true
}

/** What was typed before the field had the keyboard. */
export function takeTyped(): string {
  const text = typed?.text ?? ''
  typed = null
  return text
}
