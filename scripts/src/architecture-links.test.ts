import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = new URL('../../', import.meta.url)
const read = (path: string) => readFileSync(fileURLToPath(new URL(path, root)), 'utf8')

/** ``[`name`](path.ts#L12)``: a name, and the line that it is in. */
const LINK = /\[`([^`]+)`\]\(([^)#]+\.ts)#L(\d+)\)/g

/**
 * The links of a page whose line does not have the name that they show; a path shows its file's
 * main export.
 */
function wrongLinks(page: string, linesOf: (path: string) => readonly string[]): string[] {
  return [...page.matchAll(LINK)]
    .filter(([, name = '', path = '', number]) => {
      const line = linesOf(path)[Number(number) - 1] ?? ''
      return !line.includes(name.includes('/') ? 'export' : name)
    })
    .map(([link]) => link)
}

test('each step of an order in ARCHITECTURE.md leads to its line', () => {
  const page = read('ARCHITECTURE.md')
  expect([...page.matchAll(LINK)].length).toBeGreaterThan(10)
  expect(wrongLinks(page, (path) => read(path).split('\n'))).toEqual([])
})

test('a link to another line is found', () => {
  const linesOf = () => ['export class A {', '  #send() {', '  }']
  expect(wrongLinks('[`#send`](a.ts#L2) [`x/a.ts`](a.ts#L1)', linesOf)).toEqual([])
  expect(wrongLinks('[`#send`](a.ts#L3)', linesOf)).toEqual(['[`#send`](a.ts#L3)'])
  expect(wrongLinks('[`x/a.ts`](a.ts#L9)', linesOf)).toEqual(['[`x/a.ts`](a.ts#L9)'])
})
