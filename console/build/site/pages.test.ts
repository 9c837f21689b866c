import { expect, test } from 'vitest'
import { readDocuments } from './pages.ts'

const FILES: Readonly<Record<string, string>> = {
  'docs/README.md': `# Documents

The map; [SECURITY](../SECURITY.md) is elsewhere.

## Try

- [The \`demo\`](demo.md): one command,
  and what it prints
- no page
- [Bots](bots/README.md)

## Not a group
`,
  'docs/demo.md':
    'See [b](bots/README.md#start), [it](https://a.example/x.md), [`code`](../src/a.ts), ![p](images/p.png).',
  'docs/bots/README.md': 'Back to [the demo](../demo.md), [the folder](../bots/), [a bot](bot.py).',
  'docs/bots/bot.py': '',
  'docs/bots/.env': 'SLUICE_CLIENT_SECRET=secret',
  'docs/bots/bot.log': '',
  'docs/bots/data/bot.db-wal': '',
  'docs/bots/__pycache__/bot.pyc': '',
  'docs/images/p.png': '',
  'SECURITY.md': '`[no](docs/demo.md)`\n\n```sh\n[no](docs/demo.md)\n```\n\n[yes](docs/demo.md)',
}
const documents = readDocuments(
  (path) => FILES[path] ?? '',
  () => Object.keys(FILES).filter((path) => path.startsWith('docs/')),
)

test('the pages are those of docs, and what the map names from elsewhere', () => {
  expect(Object.fromEntries(documents.pages)).toEqual({
    'docs/README.md': 'index.md',
    'docs/demo.md': 'demo.md',
    'docs/bots/README.md': 'bots/index.md',
    'SECURITY.md': 'repository/SECURITY.md',
  })
  expect(documents.files).toEqual(['bots/bot.py', 'images/p.png'])
})

test('headings of the map are groups, its items are pages', () => {
  expect(documents.groups).toEqual([
    {
      title: 'Try',
      entries: [
        { title: 'The demo', path: 'demo.md', text: 'one command, and what it prints' },
        { title: 'Bots', path: 'bots/index.md', text: '' },
      ],
    },
  ])
})

test.each([
  [
    'docs/demo.md',
    'See [b](bots/index.md#start), [it](https://a.example/x.md), `code`, ![p](images/p.png).',
  ],
  [
    'docs/bots/README.md',
    'Back to [the demo](../demo.md), [the folder](index.md), [a bot](bot.py).',
  ],
  ['SECURITY.md', '`[no](docs/demo.md)`\n\n```sh\n[no](docs/demo.md)\n```\n\n[yes](../demo.md)'],
])('links of %s lead from page to page; one to a source file is its text', (source, text) => {
  expect(documents.textOf(source)).toBe(text)
})
