import { existsSync, globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { brokenReferences } from './doc-references.ts'

const root = new URL('../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')
const exists = (path: string) => existsSync(new URL(path, root))

/** What git leaves out (.gitignore), and what it is itself. */
const NOT_OURS = ['node_modules', 'data', 'dist', 'coverage', '.cache', 'test-results', '.git']
const filesLike = (pattern: string) =>
  globSync(pattern, { cwd: fileURLToPath(root), exclude: NOT_OURS.map((name) => `**/${name}`) })

const documents = new Map(filesLike('**/*.md').map((path) => [path, read(path)]))

test('every document and section that a comment or a document names exists', () => {
  const broken = filesLike('**/*.{ts,tsx,mjs,md,yaml,yml}')
    .filter((path) => path !== 'scripts/src/doc-references.test.ts')
    .flatMap((path) => {
      const found = brokenReferences({ path, text: read(path) }, documents, exists)
      return found.map((reference) => `${path}: ${reference}`)
    })
  expect(broken).toEqual([])
})

const few = new Map([
  ['README.md', '# Sluice\n\n## What it does: a lot\n'],
  ['docs/facts.md', '# Facts\n\n## 3. Orders\n\n### 3.2 The body\n\n1. not a section\n'],
  ['docs/checklist.md', '# Checklist\n\n## A1. Start\n1. It starts.\n2. It ends.\n'],
  ['docs/decisions/0005-orders.md', '# 5. Orders\n'],
])
const broken = (path: string, text: string) =>
  brokenReferences({ path, text }, few, (name) => few.has(name))

test.each([
  ['src/a.ts', '// As the page has it (docs/facts.md, 3 and 3.2; docs/checklist.md, 1 to 2).'],
  ['src/a.ts', '/**\n * Only the price moves (docs/facts.md,\n * 3.2).\n */'],
  ['src/a.ts', '// facts.md has them; so does docs/facts.md#32-the-body. See ADR 0005.'],
  ['src/a.ts', '// RFC 9110, section 15'],
  [
    'docs/facts.md',
    '[start](../README.md#what-it-does-a-lot), [here](#3-orders), [out](https://a.example/b.md)',
  ],
  ['README.md', '```js\n[call](...args)\n```\nand `[this](nothing)`'],
])('an existing reference is no finding: %s %s', (path, text) => {
  expect(broken(path, text)).toEqual([])
})

test.each([
  ['src/a.ts', '// mexc.md 3.2', 'mexc.md'],
  ['src/a.ts', '// (docs/facts.md, 4.6)', 'docs/facts.md, 4.6'],
  ['src/a.ts', '/**\n * (docs/facts.md, 3 and\n * 5)\n */', 'docs/facts.md, 3 and 5'],
  ['src/a.ts', '// docs/facts.md, section 1', 'docs/facts.md, section 1'],
  ['src/a.ts', '// (docs/checklist.md, 3)', 'docs/checklist.md, 3'],
  ['src/a.ts', '// README.md#limits', 'README.md#limits'],
  ['src/a.ts', '// ADR 0006', 'ADR 0006'],
  ['src/a.ts', '// SPECIFICATION, section 9.', 'SPECIFICATION, section 9'],
  ['docs/facts.md', '[lane](lane.md)', 'lane.md'],
  ['docs/facts.md', '[start](../README.md#limits)', '../README.md#limits'],
  ['docs/facts.md', '[below](#orders)', '#orders'],
  ['docs/facts.md', '[picture](images/a.png)', 'images/a.png'],
])('a missing reference is found: %s %s', (path, text, reference) => {
  expect(broken(path, text)).toContain(reference)
})

test('the numbers in the titles of the console tests are those of the checklist', () => {
  const checks = new Set(
    [...read('docs/console-checklist.md').matchAll(/^(\d+)\. /gm)].map(([, number]) =>
      Number(number),
    ),
  )
  expect([...checks]).toEqual(Array.from({ length: checks.size }, (_, index) => index + 1))

  const specs = filesLike('console/e2e/**/*.ts').map((path) => ({ path, text: read(path) }))
  const unknown = specs.flatMap(({ path, text }) =>
    [...text.matchAll(/['"`](\d{1,3})\.(?=[ '"`])/g)]
      .filter(([, number]) => !checks.has(Number(number)))
      .map(([, number]) => `${path}: ${number}`),
  )
  expect(unknown).toEqual([])
  // A number that is put together elsewhere could not be seen here.
  const hidden = specs.filter(({ text }) => /test\(\s*`\$\{\w+\}\. /.test(text))
  expect(hidden.map(({ path }) => path)).toEqual([])
})
