import { expect, test } from 'vitest'
import { circlesIn, importsOf, isTest, readSources } from '../../src/house.ts'

/** A circle of types loads nothing, and a few files that describe one thing may need one. */
const FILES_MAX = 5

const files = readSources().filter((source) => !isTest(source))

test('no circle of imports has more than five files, counting those of types', () => {
  expect(files.length).toBeGreaterThan(500)
  expect(circlesIn(importsOf(files, true)).filter(({ length }) => length > FILES_MAX)).toEqual([])
})

test('no files load each other', () => {
  expect(circlesIn(importsOf(files, false))).toEqual([])
})
