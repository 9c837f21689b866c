import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseSync } from 'vite'

export interface Reached {
  /** Paths from the project's folder. */
  readonly files: readonly string[]
  /** Names of packages from elsewhere. */
  readonly packages: readonly string[]
}

/**
 * Every source file that an entry point loads, and every package that these import; types load
 * nothing.
 */
export function reachedFrom(entry: string): Reached {
  const files = new Set<string>()
  const packages = new Set<string>()
  const visit = (file: string) => {
    if (files.has(file)) return
    files.add(file)
    for (const name of importsOf(file)) {
      if (name.startsWith('.')) visit(join(dirname(file), name))
      else if (name === 'schema') visit('schema/src/index.ts')
      else if (name.startsWith('gateway/')) visit(join('gateway/src', name.slice(8)))
      else if (name.startsWith('paper-exchange/'))
        visit(join('gateway/paper-exchange/src', name.slice('paper-exchange/'.length)))
      else if (!name.startsWith('node:')) packages.add(packageOf(name))
    }
  }
  visit(entry)
  return { files: [...files], packages: [...packages] }
}

function importsOf(file: string): string[] {
  const source = readFileSync(file, 'utf8')
  const { staticImports, staticExports, dynamicImports } = parseSync(file, source).module
  return [
    ...staticImports
      .filter(({ entries }) => entries.length === 0 || entries.some(({ isType }) => !isType))
      .map(({ moduleRequest }) => moduleRequest.value),
    ...staticExports
      .flatMap(({ entries }) => entries)
      .filter(({ isType }) => !isType)
      .map(({ moduleRequest }) => moduleRequest?.value ?? ''),
    // With their quotes; what is computed cannot be followed.
    ...dynamicImports
      .map(({ moduleRequest }) => source.slice(moduleRequest.start, moduleRequest.end))
      .map((text) => /^'(.+)'$/.exec(text)?.[1] ?? ''),
  ].filter((name) => name !== '')
}

function packageOf(name: string): string {
  return name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/')
}

/** Whether .dockerignore takes a source file out again: by its path, its folder's, or as a test. */
export function isIgnored(file: string): boolean {
  const rules = readFileSync('.dockerignore', 'utf8').split('\n')
  return (
    file.endsWith('.test.ts') ||
    rules.some((rule) => rule !== '' && (rule === file || file.startsWith(`${rule}/`)))
  )
}
