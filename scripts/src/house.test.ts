import { expect, test } from 'vitest'
import { circlesIn, importsOf, isTest, sizes, toSource } from './house.ts'

const source = (path: string, text = '') => toSource(path, text)
const lines = (count: number) => 'x\n'.repeat(count)

test('sizes are of files and lines, and of the share that lies in small files', () => {
  const files = [
    source('gateway/src/store/a.ts', lines(300)),
    source('gateway/src/b.ts', lines(99)),
    source('gateway/src/c.ts', lines(1)),
  ]
  const found = sizes(files).filter(({ name }) => /gateway\/src|under 40/.test(name))
  expect(found.map(({ name, value }) => [name.trim(), value])).toEqual([
    ...[
      ['gateway/src', 3],
      ['gateway/src/store', 1],
    ],
    ...[
      ['gateway/src', 400],
      ['gateway/src/store', 300],
    ],
    ['files for each 1,000 lines: gateway/src', 7.5],
    ['lines in files under 100 lines: gateway/src', 25],
    ['files under 40 lines', 1],
  ])
})

test.each([
  ['gateway/src/a.test.ts', true],
  ['console/e2e/a.ts', true],
  ['gateway/test/app.ts', true],
  ['gateway/src/test.ts', false],
])('%s is a test: %s', (path, is) => {
  expect(isTest(source(path))).toBe(is)
})

test('a circle is found, and one of types alone only where types count', () => {
  const files = [
    source('gateway/src/a.ts', `import { b } from './b.ts'`),
    source('gateway/src/b.ts', `import { c } from 'gateway/c.ts'`),
    source('gateway/src/c.ts', `export { a } from './a.ts'`),
    source(
      'gateway/src/d.ts',
      `import { type B, b } from './b.ts'\nimport type { E } from './e.ts'`,
    ),
    source('gateway/src/e.ts', `import { d } from './d.ts'`),
  ]
  const circles = (withTypes: boolean) =>
    circlesIn(importsOf(files, withTypes)).map((circle) => circle.toSorted())
  const abc = ['a', 'b', 'c'].map((name) => `gateway/src/${name}.ts`)
  expect(circles(false)).toEqual([abc])
  expect(circles(true)).toEqual([abc, ['gateway/src/d.ts', 'gateway/src/e.ts']])
})
