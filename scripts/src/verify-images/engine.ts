import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const execute = promisify(execFile)

/** Docker or podman, by its command line. */
export interface Engine {
  readonly name: 'docker' | 'podman'
  /** What it printed, trimmed. @throws with what it said instead */
  readonly run: (...args: string[]) => Promise<string>
}

/** What the engine refused, or that there is none; the code marks it as foreseen. */
export class EngineError extends Error {
  readonly code = 'CONTAINER_ENGINE'
}

/** An image with a cold cache and a slow network. */
const LONGEST_MS = 15 * 60_000

/**
 * The first container engine that works.
 * @throws one line that says what to do when there is none
 */
export async function findEngine(): Promise<Engine> {
  for (const name of ['docker', 'podman'] as const) {
    const engine = { name, run: (...args: string[]) => runCommand(name, args) }
    try {
      // docker's command line may be there without its server.
      await engine.run('info')
      return engine
    } catch {
      // Not installed or not running: the next one.
    }
  }
  throw new EngineError(
    'No container engine responds: start Docker, or install podman (apt-get install podman), and run this again.',
  )
}

/** What a command printed, trimmed. @throws EngineError with what it said instead */
export async function runCommand(
  command: string,
  args: readonly string[],
  { cwd, env }: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<string> {
  try {
    const { stdout } = await execute(command, args, {
      timeout: LONGEST_MS,
      maxBuffer: 64 * 1024 * 1024,
      cwd,
      env,
    })
    return stdout.trim()
  } catch (cause) {
    const said = cause instanceof Error && 'stderr' in cause ? String(cause.stderr).trim() : ''
    const last = said.split('\n').slice(-15).join('\n')
    throw new EngineError(`${command} ${args.slice(0, 3).join(' ')} … failed: ${last}`, { cause })
  }
}
