import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { importsIn } from '../imports/places.ts'

interface Instruction {
  readonly name: string
  readonly text: string
}

/** The stages of a Dockerfile, each with its instructions in order, its FROM first. */
export function readStages(path: string): Instruction[][] {
  const lines = readFileSync(path, 'utf8')
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '')
  const stages: Instruction[][] = []
  for (const line of lines) {
    const [, name = '', text = ''] = /^(\S+)\s+(.*)$/.exec(line) ?? []
    if (name === 'FROM') stages.push([])
    stages.at(-1)?.push({ name, text })
  }
  return stages
}

/** What follows each instruction of this name, in order. */
export function textsOf(stage: readonly Instruction[] | undefined, name: string): string[] {
  return (stage ?? []).filter((one) => one.name === name).map(({ text }) => text)
}

interface Reached {
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
    for (const name of importsIn(file, undefined, false)) {
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
