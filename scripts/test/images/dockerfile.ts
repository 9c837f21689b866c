import { readFileSync } from 'node:fs'

export interface Instruction {
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
