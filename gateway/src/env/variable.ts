/** What a kind of value is: how it is read, and how that is said. */
export interface Kind<T> {
  /** Continues "it should be …". */
  readonly expects: string
  /** The value that the text means; undefined when it means none. White space around it is gone. */
  readonly parse: (text: string) => T | undefined
}

/** One variable of the environment. Messages, `.env.example` and the documentation are made of this. */
export interface Variable<T> extends Kind<T> {
  /** What it does: one or two sentences. */
  readonly doc: string
  /** Text that counts when the variable is not set, as it would stand there. */
  readonly fallback?: string
  /** What holds when it is not set and has no default, in words. */
  readonly unset?: string
  /** Stands in `.env.example` when there is no default. */
  readonly example?: string
  /** Its value never stands in a message. */
  readonly isSecret?: true
}

export type VariableTable = Readonly<Record<string, Variable<unknown>>>

/** The values of a table: one with a default is always there. */
export type Values<Table extends VariableTable> = {
  readonly [Name in keyof Table]: Table[Name] extends Variable<infer T>
    ? Table[Name] extends { readonly fallback: string }
      ? T
      : T | undefined
    : never
}

export interface ReadVariables<Table extends VariableTable> {
  /** Of a wrong variable, the default. */
  readonly values: Values<Table>
  /** One sentence for each wrong variable: its name, what was found, what it should be. */
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

/** What was found, as far as it may be repeated: an address with an @ or a query can carry a password. */
function shown({ isSecret }: Variable<unknown>, found: string): string {
  if (isSecret === true) return `a text of ${found.length} characters`
  if (/@|:\/\/.*\?/.test(found)) return 'an address that is not shown, as it may hold a password'
  return `"${found.length > 80 ? `${found.slice(0, 80)}…` : found}"`
}
