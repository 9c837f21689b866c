import { globSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'

const { dirname, join, relative } = posix

/** The project's folder. */
export const PROJECT = fileURLToPath(new URL('../../../', import.meta.url))

/** Of this process alone: two builds at the same time do not meet. */
export const WORK = join(PROJECT, '.cache', `site-${process.pid}`)

/**
 * Where the console's web server has the site. The gateway has the API's pages at `/docs`, and a
 * proxy that serves both under one name can tell the two apart by this prefix.
 */
export const BASE = '/docs/guide/'

export const DESCRIPTION = 'A rate-limited, authenticated API gateway in front of MEXC and Bitget'

/** The page that names all others: groups as headings, pages as list items. */
const MAP = 'docs/README.md'

/** One line of the map. */
interface Entry {
  readonly title: string
  /** Of the page on the site, such as `operations/backup.md`. */
  readonly path: string
  /** What the map says of it. */
  readonly text: string
}

interface Group {
  readonly title: string
  readonly entries: readonly Entry[]
}

export interface Documents {
  /** Path on the site by the path from the project's folder. */
  readonly pages: ReadonlyMap<string, string>
  /** What pages link to and is no page: programs, rules, pictures. By the path in `docs`. */
  readonly files: readonly string[]
  /** Of the map. */
  readonly groups: readonly Group[]
  /** The Markdown of a page, with the links that it has on the site. */
  readonly textOf: (source: string) => string
}

/** All documents below `docs`, and those from elsewhere that the map names. */
export function readDocuments(read = readFile, list = listDocs): Documents {
  const map = read(MAP)
  const named = [...map.matchAll(LINK)].map(([, target = '']) => resolve(MAP, target).path)
  const docs = list().filter((path) => !LEFT_BEHIND.test(path))
  const sources = new Set([...docs, ...named].filter((path) => path.endsWith('.md')))
  const pages = new Map([...sources].map((source) => [source, pathOnSite(source)]))
  const textOf = (source: string) => withSiteLinks(read(source), source, pages, new Set(docs))
  return {
    pages,
    files: docs.filter((path) => !pages.has(path)).map((path) => path.replace('docs/', '')),
    groups: readGroups(map, pages),
    textOf,
  }
}

/** Settings, logs and state of a program that was tried beside its source: not for others. */
const LEFT_BEHIND = /\/(\.[^/]+|__pycache__|node_modules|data)(\/|$)|\.(log|db)(-\w+)?$/

const readFile = (path: string) => readFileSync(join(PROJECT, path), 'utf8')
const listDocs = () =>
  globSync('docs/**', { cwd: PROJECT, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(PROJECT, join(entry.parentPath, entry.name)))
    .toSorted()

/** A README is the page of its folder. What is not below `docs` is in a folder of its own. */
function pathOnSite(source: string): string {
  const path = source.startsWith('docs/') ? source.slice(5) : `repository/${source}`
  return path.replace(/(?<![^/])README(?=\.md$)/, 'index')
}

const LINK = /\]\(([^)\s]+)\)/g
const HEADING = /^## (.+)$/gm
const ITEM = /^ *[-*] \[(.+?)\]\(([^)\s]+)\)(.*(?:\n {2,}[^\s*-].*)*)/gm

function readGroups(map: string, pages: Documents['pages']): Group[] {
  const [, ...parts] = map.split(HEADING)
  return parts.flatMap((title, index) => {
    const entries = index % 2 === 0 ? entriesOf(parts[index + 1] ?? '', pages) : []
    return entries.length === 0 ? [] : [{ title, entries }]
  })
}

function entriesOf(section: string, pages: Documents['pages']): Entry[] {
  return [...section.matchAll(ITEM)].flatMap(([, title = '', target = '', rest = '']) => {
    const path = pages.get(resolve(MAP, target).path)
    const text = rest.replaceAll(/\s+/g, ' ').replace(/^ ?[:–—-]? ?/, '')
    return path === undefined ? [] : [{ title: title.replaceAll('`', ''), path, text }]
  })
}

/** A fenced block, code in a line, or a link: what code shows is no link. */
const CODE_OR_LINK =
  /^ *(`{3,})[^\n]*\n[\s\S]*?\n *\1|`[^`\n]*`|\[((?:`[^`\n]*`|[^[\]`])*)\]\(([^)\s]+)\)/gm

/**
 * Links between documents lead from page to page. A link to what the site does not have, such as a
 * source file, is its text alone.
 */
function withSiteLinks(
  text: string,
  source: string,
  pages: Documents['pages'],
  docs: ReadonlySet<string>,
): string {
  const from = dirname(pathOnSite(source))
  return text.replaceAll(CODE_OR_LINK, (whole, _fence, label?: string, target?: string) => {
    if (target === undefined || /^([a-z]+:|#)/.test(target)) return whole
    const { path, anchor } = resolve(source, target)
    const page = pages.get(path) ?? pages.get(`${path}/README.md`)
    const to = page ?? (docs.has(path) ? path.slice('docs/'.length) : undefined)
    return to === undefined ? (label ?? '') : `[${label}](${relative(from, to)}${anchor})`
  })
}

/** A link's target as a path from the project's folder. */
function resolve(source: string, target: string): { path: string; anchor: string } {
  const [path = '', anchor] = target.split('#')
  return {
    path: join(dirname(source), path).replace(/\/$/, ''),
    anchor: anchor === undefined ? '' : `#${anchor}`,
  }
}
