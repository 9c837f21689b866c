import { existsSync, globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = new URL('../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')
const exists = (path: string) => existsSync(new URL(path, root))

/** What git leaves out (.gitignore), and what it is itself. */
const NOT_OURS = ['node_modules', 'data', 'dist', 'coverage', '.cache', 'test-results', '.git']
const filesLike = (pattern: string) =>
  globSync(pattern, { cwd: fileURLToPath(root), exclude: NOT_OURS.map((name) => `**/${name}`) })

const documents = new Map(filesLike('**/*.md').map((path) => [path, read(path)]))

/** Tests whose documents are invented. */
const INVENTED = ['doc-references.test.ts', 'site/pages.test.ts']

test('every document and section that a comment or a document names exists', () => {
  const broken = filesLike('**/*.{ts,tsx,mjs,md,yaml,yml}')
    .filter((path) => !INVENTED.some((name) => path.endsWith(name)))
    .flatMap((path) => {
      const found = brokenReferences({ path, text: read(path) }, documents, exists)
      return found.map((reference) => `${path}: ${reference}`)
    })
  expect(broken).toEqual([])
})

/** An item of the map: `- [Title](path): what the page has`. */
const MAP_ITEM = /^- \[[^\]]+\]\(([^)]+)\): \S/gm
const LINES_MAX = 300

test('the map names each page once; a page says for whom it is, and has no more than 300 lines', () => {
  const pages = [...documents].filter(([path]) => path.startsWith('docs/'))
  const mapped = [...read('docs/README.md').matchAll(MAP_ITEM)].map(([, path]) => `docs/${path}`)
  const others = pages.map(([path]) => path).filter((path) => path !== 'docs/README.md')
  expect(mapped.toSorted()).toEqual(others.toSorted())

  expect(pages.filter(([, text]) => !/^# .+\n\nFor /.test(text)).map(([path]) => path)).toEqual([])
  const long = pages.filter(([, text]) => text.split('\n').length - 1 > LINES_MAX)
  expect(long.map(([path]) => path)).toEqual([])
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
  const checklist = ['', '-beyond']
    .map((part) => read(`docs/evidence/console-checklist${part}.md`))
    .join('')
  const checks = new Set([...checklist.matchAll(/^(\d+)\. /gm)].map(([, number]) => Number(number)))
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

/**
 * What the finder knows of a document: its numbered sections, and the anchors that a link may end
 * with.
 */
interface Outline {
  readonly sections: ReadonlySet<string>
  readonly anchors: ReadonlySet<string>
}

const HEADING = /^#{1,6} +(.+)$/gm
const NUMBERED_HEADING = /^#{1,6} +(\d+(?:\.\d+)*)\.? /gm
const NUMBERED_LINE = /^(\d+)\. /gm
const FENCED = /^```[\s\S]*?^```/gm

/** `docs/exchanges/mexc.md, 3 and 4.4`, `docs/lane.md`, `metrics.md`. */
const NUMBER = String.raw`\d+(?:\.\d+)*`
const CITATION = new RegExp(
  String.raw`(?<![\w/.:*])([\w./-]*\w\.md)(?:#([\w-]+)|(?:, sections?|,) (${NUMBER}(?:(?:, | and | to )${NUMBER})*))?(?!\w)`,
  'g',
)
const LINK = /\]\(([^)\s]+)\)/g
const DECISION = /\bADR (\d{4})\b/g
/** A name in capitals with a section behind it: a document that nobody can open. */
const UNNAMED_FILE = /(?<![\w/])[A-Z]{5,},? sections? \d+/g

/**
 * The references of one file to a document or section that does not exist: names of Markdown files,
 * section numbers and anchors behind them, numbers of decisions, and the links of a Markdown page.
 * @param documents every Markdown file of the repository by its path from the root
 * @param exists whether the repository has this file or folder
 */
function brokenReferences(
  file: { path: string; text: string },
  documents: ReadonlyMap<string, string>,
  exists: (path: string) => boolean,
): string[] {
  const text = withoutLineBreaks(file.text)
  return [
    ...brokenCitations(file.path, text, documents),
    ...[...text.matchAll(DECISION)]
      .filter(([, number]) => ![...documents.keys()].some((path) => path.includes(`/${number}-`)))
      .map(([reference]) => reference),
    ...[...text.matchAll(UNNAMED_FILE)].map(([reference]) => reference),
    ...(file.path.endsWith('.md') ? brokenLinks(file, documents, exists) : []),
  ]
}

/** A reference may continue in the next line of a comment. */
function withoutLineBreaks(text: string): string {
  return text.replaceAll(/\s*\n[ \t]*(?:\*(?!\*)|\/\/|#(?!#))?[ \t]*/g, ' ')
}

function brokenCitations(
  from: string,
  text: string,
  documents: ReadonlyMap<string, string>,
): string[] {
  return [...text.matchAll(CITATION)]
    .filter(([, name = '', anchor, numbers]) => {
      const path = findDocument(from, name, documents)
      if (path === undefined) return true
      const { sections, anchors } = outlineOf(documents.get(path) ?? '')
      const cited = numbers?.match(/\d+(?:\.\d+)*/g) ?? []
      return (
        cited.some((number) => !sections.has(number)) ||
        (anchor !== undefined && !anchors.has(anchor))
      )
    })
    .map(([reference]) => reference)
}

/**
 * By its path from the root, from the file that names it, or by the end of its path when only one
 * fits.
 */
function findDocument(
  from: string,
  name: string,
  documents: ReadonlyMap<string, string>,
): string | undefined {
  for (const path of [resolve('', name), resolve(from, name)]) if (documents.has(path)) return path
  const [path, ...others] = [...documents.keys()].filter((other) => other.endsWith(`/${name}`))
  return others.length === 0 ? path : undefined
}

function brokenLinks(
  { path: from, text }: { path: string; text: string },
  documents: ReadonlyMap<string, string>,
  exists: (path: string) => boolean,
): string[] {
  const prose = text.replaceAll(FENCED, '').replaceAll(/`[^`\n]*`/g, '')
  return [...prose.matchAll(LINK)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .filter((target) => {
      const [name = '', anchor] = target.split('#')
      const path = name === '' ? from : resolve(from, name)
      if (!exists(path)) return true
      // A line of a source file: architecture-links.test.ts looks at what it says.
      if (!path.endsWith('.md') && /^L\d+$/.test(anchor ?? '')) return false
      return anchor !== undefined && !outlineOf(documents.get(path) ?? '').anchors.has(anchor)
    })
}

/** `name` as seen from a file, as a path from the root. */
function resolve(from: string, name: string): string {
  return new URL(name, `file:///${from}`).pathname.slice(1).replace(/\/$/, '')
}

/** A page without numbered headings may number its lines: the console's checklist does. */
function outlineOf(text: string): Outline {
  const prose = text.replaceAll(FENCED, '')
  const headings = [...prose.matchAll(NUMBERED_HEADING)]
  const numbered = headings.length > 0 ? headings : [...prose.matchAll(NUMBERED_LINE)]
  return {
    sections: new Set(numbered.map(([, number = '']) => number)),
    anchors: new Set([
      ...[...prose.matchAll(HEADING)].map(([, title = '']) => anchorOf(title)),
      ...[...prose.matchAll(/<a (?:id|name)="([^"]+)"/g)].map(([, id = '']) => id),
    ]),
  }
}

/** As GitHub makes it of a heading. */
function anchorOf(title: string): string {
  return title
    .trim()
    .toLowerCase()
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
}
