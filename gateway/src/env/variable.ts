/** A kind of value: how to parse it, and how to describe it. */
export interface Kind<T> {
  /** Completes the sentence "it should be …". */
  readonly expects: string
  /**
   * The parsed value; undefined when the text is invalid. The text comes without surrounding white
   * space.
   */
  readonly parse: (text: string) => T | undefined
}

/**
 * One environment variable. Messages, `.env.example` and the documentation are generated from this.
 */
export interface Variable<T> extends Kind<T> {
  /** What the variable does, in one or two sentences. */
  readonly doc: string
  /** The default, in the same form as a person would write it. */
  readonly fallback?: string
  /** What happens when the variable is not set and has no default, in words. */
  readonly unset?: string
  /** The value that `.env.example` shows when there is no default. */
  readonly example?: string
  /** No message ever contains its value. */
  readonly isSecret?: true
}

export type VariableTable = Readonly<Record<string, Variable<unknown>>>

/** The parsed values of a table; a variable with a default always has one. */
export type Values<Table extends VariableTable> = {
  readonly [Name in keyof Table]: Table[Name] extends Variable<infer T>
    ? Table[Name] extends { readonly fallback: string }
      ? T
      : T | undefined
    : never
}

interface ReadVariables<Table extends VariableTable> {
  /** A wrong variable has its default here. */
  readonly values: Values<Table>
  /** One sentence per wrong variable: its name, the value found, the value expected. */
  readonly problems: readonly string[]
}

/** Reads each variable of a table from the environment; an empty variable counts as not set. */
export function readVariables<Table extends VariableTable>(
  table: Table,
  env: NodeJS.ProcessEnv,
): ReadVariables<Table> {
  const problems: string[] = []
  const values = Object.entries(table).map(([name, variable]) => {
    const found = env[name]?.trim() ?? ''
    const value = found === '' ? undefined : variable.parse(found)
    if (found !== '' && value === undefined)
      problems.push(`${name} is ${shown(variable, found)}; it should be ${variable.expects}`)
    return [name, value ?? defaultOf(variable)]
  })
  return { values: Object.fromEntries(values) as Values<Table>, problems }
}

function defaultOf({ fallback, parse }: Variable<unknown>): unknown {
  return fallback === undefined ? undefined : parse(fallback)
}

/**
 * The value found, as far as a message may repeat it: an address with an @ or a query can contain a
 * password.
 */
function shown({ isSecret }: Variable<unknown>, found: string): string {
  if (isSecret === true) return `a text of ${found.length} characters`
  if (/[@?]/.test(found)) return 'an address that is not shown, as it may hold a password'
  return `"${found.length > 80 ? `${found.slice(0, 80)}…` : found}"`
}

/** A variable that is no setting, and the setting that was probably meant. Without the value. */
interface Misspelt {
  readonly found: string
  readonly meant: string
}

/** Shorter names resemble names of other programs too easily. */
const LONG = 8

/** The variables of an environment whose names resemble a setting, and are not settings. */
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
