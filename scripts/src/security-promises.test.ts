import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const page = new URL('../../docs/security/promises.md', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, page), 'utf8')
const ROW = /^\| (\d+) \| .+ \| \[[^\]]+\]\(([^)]+\.(?:test|spec)\.ts)\): `(.+)` \|$/gm

const rows = [...readFileSync(page, 'utf8').matchAll(ROW)].map(
  ([, number, path = '', shown = '']) => ({
    ...{ number: Number(number), path, shown },
  }),
)

test('each of the seventy promises has one line', () => {
  expect(rows.map(({ number }) => number)).toEqual(Array.from({ length: 70 }, (_, i) => i + 1))
})

test('what a line names is in its test', () => {
  const missing = rows.filter(({ path, shown }) => !read(path).includes(shown))
  expect(missing).toEqual([])
})
