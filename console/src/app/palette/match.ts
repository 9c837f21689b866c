/** Whatever can be found by its words. */
export interface Findable {
  readonly label: string
  /** More words by which it is found. */
  readonly words?: string | undefined
}

/** At most this many of each kind are shown. */
const SHOWN = 8

/** The entries that have every word of the text; those whose label begins with it come first. */
export function matching<T extends Findable>(entries: readonly T[], text: string): readonly T[] {
  const whole = text.trim().toLowerCase()
  const words = whole.split(/\s+/)
  const scored = entries.flatMap((entry) => {
    const label = entry.label.toLowerCase()
    const all = `${label} ${entry.words?.toLowerCase() ?? ''}`
    return words.every((word) => all.includes(word))
      ? [{ entry, score: scoreOf(label, whole) }]
      : []
  })
  return scored
    .toSorted((a, b) => a.score - b.score)
    .slice(0, SHOWN)
    .map(({ entry }) => entry)
}

function scoreOf(label: string, whole: string): number {
  if (label === whole) return 0
  if (label.startsWith(whole)) return 1
  if (label.includes(` ${whole}`)) return 2
  return label.includes(whole) ? 3 : 4
}
