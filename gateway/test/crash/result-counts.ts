import type { Story } from './world.ts'

/** How often bots got each kind of result. */
export function countResults(stories: readonly Story[]): Record<string, number> {
  return countBy(stories.flatMap(({ results }) => results.map(({ kind }) => kind)))
}

/** How often each name is there. */
export function countBy(names: readonly string[]): Record<string, number> {
  return Object.fromEntries(
    [...Map.groupBy(names, (name) => name)].map(([name, all]) => [name, all.length]),
  )
}
