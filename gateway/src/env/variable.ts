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

export interface ReadVariables<Table extends VariableTable> {
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
