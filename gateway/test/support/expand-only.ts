/** What the version before may use or write, and a statement takes away or refuses. */
const RULES: readonly (readonly [RegExp, string])[] = [
  [/^drop /i, 'drops'],
  [/^(delete from|truncate|update) /i, 'changes rows'],
  [/^create unique index/i, 'makes values unique'],
  [/^alter table .* rename /i, 'renames'],
  [/^alter table .* drop (?!not null)/i, 'drops'],
  [/^alter table .* alter column .* (set data )?type /i, 'changes a type'],
  [/^alter table .* set not null/i, 'refuses null'],
  [/^alter table .* add constraint /i, 'adds a constraint'],
  [/^alter table .* add column (?!.*(\bdefault\b|\bgenerated\b)).* not null/i, 'wants a value'],
  [/^(revoke|alter (type|function)) /i, 'takes away'],
]

/** Names what a statement of a migration takes away from a gateway that does not know of it. */
export function takenAway(statement: string): string[] {
  const text = statement
    .replaceAll(/^--.*$/gm, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
  return RULES.filter(([pattern]) => pattern.test(text)).map(([, what]) => `${what}: ${text}`)
}
