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
export function brokenReferences(
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
