import type { Story } from './world.ts'

/** How often bots got each kind of result. */
export function countResults(stories: readonly Story[]): Record<string, number> {
  const kinds = stories.flatMap(({ results }) => results.map(({ kind }) => kind))
  return Object.fromEntries(
    [...Map.groupBy(kinds, (kind) => kind)].map(([kind, all]) => [kind, all.length]),
  )
}
