/** A variable that is no setting, and the setting that was probably meant. Without the value. */
export interface Misspelt {
  readonly found: string
  readonly meant: string
}

/** Shorter names resemble names of other programs too easily. */
const LONG = 8

/** The variables of an environment whose names resemble a setting, and are none. */
export function misspeltIn(
  names: readonly string[],
  settings: readonly string[],
): readonly Misspelt[] {
  return names
    .filter((found) => !settings.includes(found))
    .flatMap((found) => {
      const meant = settings.find((setting) => resembles(found, setting))
      return meant === undefined || names.includes(meant) ? [] : [{ found, meant }]
    })
}

/** What the start and the doctor say. */
export const misspeltText = ({ found, meant }: Misspelt) =>
  `${found} is not a setting, and has no effect. Did you mean ${meant}?`

function resembles(found: string, setting: string): boolean {
  const name = found
    .toUpperCase()
    .replaceAll('-', '_')
    .replace(/^SLUICE_/, '')
  if (name === setting) return true
  // A part of a longer name, such as LOG_RETENTION.
  if (name.includes('_') && setting.startsWith(`${name}_`)) return true
  // Two mistakes in a long name, one in a short one.
  return distance(name, setting) <= (setting.length >= LONG ? 2 : 1)
}

/** How many letters are wrong, missing, too many, or exchanged with the next one. */
function distance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 2) return Number.POSITIVE_INFINITY
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const isSame = a[i - 1] === b[j - 1]
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      row[j] = Math.min(
        (last[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (last[j - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    before = last
    last = row
  }
  return last[b.length] ?? 0
}
