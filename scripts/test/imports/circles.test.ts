import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { importsIn, sourceFiles } from './places.ts'

/** A circle of types loads nothing, and a few files that describe one thing may need one. */
const FILES_MAX = 5

const files = sourceFiles().filter((file) => file.startsWith('gateway/src/'))

/** What each file of the gateway imports of the gateway. */
function importsOfAll(withTypes: boolean): ReadonlyMap<string, readonly string[]> {
  const known = new Set(files)
  return new Map(
    files.map((file) => [
      file,
      importsIn(file, undefined, withTypes)
        .filter((name) => name.startsWith('.'))
        .map((name) => join(dirname(file), name))
        .filter((imported) => known.has(imported)),
    ]),
  )
}

/** Groups of files of which each reaches all others, by Tarjan's algorithm. */
function circlesIn(imports: ReadonlyMap<string, readonly string[]>): string[][] {
  const indexes = new Map<string, number>()
  const stack: string[] = []
  const circles: string[][] = []
  /** Returns the lowest index on the stack that the file reaches. */
  function visit(file: string): number {
    const index = indexes.size
    indexes.set(file, index)
    stack.push(file)
    const imported = imports.get(file) ?? []
    const reached = imported.map((next) => {
      const known = indexes.get(next)
      if (known === undefined) return visit(next)
      return stack.includes(next) ? known : index
    })
    const lowest = Math.min(index, ...reached)
    if (lowest === index) {
      const circle = stack.splice(stack.indexOf(file))
      if (circle.length > 1 || imported.includes(file)) circles.push(circle)
    }
    return lowest
  }
  for (const file of imports.keys()) if (!indexes.has(file)) visit(file)
  return circles
}

test('a circle is found, with every file of it and no other', () => {
  const imports = new Map([
    ['a', ['b']],
    ['b', ['c', 'e']],
    ['c', ['a']],
    ['d', ['a', 'e']],
    ['e', ['f']],
    ['f', ['f']],
  ])
  expect(circlesIn(imports).map((circle) => circle.toSorted())).toEqual([['f'], ['a', 'b', 'c']])
})

test('no circle of the gateway has more than five files, counting imports of types', () => {
  expect(files.length).toBeGreaterThan(300)
  const circles = circlesIn(importsOfAll(true))
  expect(circles.filter(({ length }) => length > FILES_MAX)).toEqual([])
})

test('no files of the gateway load each other', () => {
  expect(circlesIn(importsOfAll(false))).toEqual([])
})
