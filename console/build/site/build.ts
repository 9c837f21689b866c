import { hash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vitepress'
import { BASE, DESCRIPTION, type Documents, PROJECT, readDocuments, WORK } from './pages.ts'

const ROOT = fileURLToPath(new URL('.', import.meta.url))
/** What others read, and the hash of all that it was made of. */
const [SITE, STAMP] = [join(ROOT, 'dist'), join(PROJECT, '.cache/site.sources')]
/** The documents with the links of the site, and what is made of them. */
const [PAGES, BUILT] = [join(WORK, 'pages'), join(WORK, 'site')]

/** Builds the documentation site, unless nothing has changed since the last time. */
async function buildSite(): Promise<void> {
  const documents = readDocuments()
  const sources = hashOf(documents)
  if (existsSync(STAMP) && existsSync(SITE) && readFileSync(STAMP, 'utf8') === sources) return
  try {
    await generate(documents)
    for (const old of [STAMP, SITE]) rmSync(old, { recursive: true, force: true })
    renameSync(BUILT, SITE)
    writeFileSync(STAMP, sources)
  } finally {
    rmSync(WORK, { recursive: true, force: true })
  }
}

async function generate(documents: Documents): Promise<void> {
  const texts = new Map(
    [...documents.pages].map(([source, path]) => [path, documents.textOf(source)]),
  )
  write(PAGES, texts)
  await build(ROOT, {
    onAfterConfigResolve(config) {
      config.tempDir = join(WORK, 'compiled')
      // Inline, for the colours; appearance.js is in their place.
      config.site.head = config.site.head.filter(([tag]) => tag !== 'script')
    },
  })
  write(BUILT, texts)
  write(
    BUILT,
    new Map([
      ['llms.txt', shortList(documents)],
      ['llms-full.txt', [...texts.values()].join('\n\n')],
    ]),
  )
  for (const file of documents.files) cpSync(join(PROJECT, 'docs', file), join(BUILT, file))
  cpSync(join(ROOT, 'public'), BUILT, { recursive: true })
  cpSync(join(ROOT, '../../public/favicon.svg'), join(BUILT, 'favicon.svg'))
}

function hashOf({ pages, files }: Documents): string {
  const own = globSync(['*.ts', 'public/*', '.vitepress/{,theme/}*.{ts,css}'], { cwd: ROOT })
  const paths = [
    ...own.map((path) => join(ROOT, path)),
    ...[...pages.keys(), 'console/package.json'].map((path) => join(PROJECT, path)),
    ...files.map((path) => join(PROJECT, 'docs', path)),
  ]
  return hash(
    'sha256',
    paths.map((path) => `${path}\n${hash('sha256', readFileSync(path))}`).join('\n'),
  )
}

function write(folder: string, texts: ReadonlyMap<string, string>): void {
  for (const [path, text] of texts) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
}

/** For language models (llmstxt.org): what there is, and where its text is. */
function shortList({ groups }: Documents): string {
  const sections = groups.map(({ title, entries }) => {
    const lines = entries.map(({ title, path, text }) => `- [${title}](${BASE}${path}): ${text}`)
    return `## ${title}\n\n${lines.join('\n')}\n`
  })
  return [`# Sluice\n\n> ${DESCRIPTION}\n`, ...sections].join('\n')
}

await buildSite()
console.log(`Built ${SITE}`)
