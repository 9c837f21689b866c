import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { COMPILE_CACHE } from '../support/compile-cache.ts'

export interface CommandEnd {
  readonly code: number | null
  /** What it said. */
  readonly output: string
}

export interface RunningCommand {
  readonly ended: Promise<CommandEnd>
  kill(): void
}

/** The commands of operators, as package.json names them. */
export type CommandName = 'backup' | 'restore' | 'rotate-key' | 'salvage'

const SCRIPTS = fileURLToPath(new URL('../../../scripts/src/', import.meta.url))

/** Starts what `npm run NAME -- ARGS` runs, without a file of settings. */
export function startCommand(
  name: CommandName,
  args: readonly string[],
  { env, through }: { readonly env: Record<string, string>; readonly through: readonly string[] },
): RunningCommand {
  const node = [process.execPath, `${SCRIPTS}${name}.ts`, ...args]
  const [program = '', ...rest] = [...through, ...node]
  const child = spawn(program, rest, {
    env: { ...COMPILE_CACHE, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  return {
    ended: once(child, 'close').then(([code]) => ({ code, output })),
    kill: () => void child.kill('SIGKILL'),
  }
}
