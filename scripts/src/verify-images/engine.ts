import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { baseImages } from '../pin-images.ts'

const execute = promisify(execFile)

/** Docker or podman, by its command line. */
export interface Engine {
  readonly name: 'docker' | 'podman'
  /** What it printed, trimmed. @throws with what it said instead */
  readonly run: (...args: string[]) => Promise<string>
}

/** What the engine refused, or that there is none; the code marks it as foreseen. */
class EngineError extends Error {
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
async function runCommand(
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

/** The command that starts several containers from a file. */
export type ComposeCommand = readonly [command: string, ...args: string[]]

const COMMANDS: Readonly<Record<Engine['name'], readonly ComposeCommand[]>> = {
  docker: [['docker', 'compose']],
  podman: [['podman-compose'], ['podman', 'compose']],
}

/** The first compose command of the engine that works; undefined when there is none. */
export async function findCompose({ name }: Engine): Promise<ComposeCommand | undefined> {
  for (const compose of COMMANDS[name]) {
    const [command, ...args] = compose
    try {
      await runCommand(command, [...args, 'version'])
      return compose
    } catch {
      // Not installed: the next one.
    }
  }
  return undefined
}

/**
 * One set of containers of a compose file, under a name and in a folder of its own. The caller
 * closes it.
 */
export interface Project {
  readonly engine: Engine
  /** With the compose files and what they mount; `.env` is missing. */
  readonly folder: string
  /** A compose command, such as `up -d`. What it printed. */
  readonly compose: (...args: string[]) => Promise<string>
  /** The container of a service. */
  readonly container: (service: string) => Promise<string>
  /** Ends and removes the containers, volumes and networks. */
  readonly close: () => Promise<void>
}

/** @param env what the files take from the environment, such as ports */
export function createProject(
  engine: Engine,
  [command, ...first]: ComposeCommand,
  files: readonly string[],
  env: Readonly<Record<string, string>>,
): Project {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-verify-'))
  const name = basename(folder).toLowerCase()
  for (const path of [...files, 'deploy', '.env.example'])
    cpSync(path, join(folder, path), { recursive: true })
  const args = [...first, '-p', name, ...files.flatMap((file) => ['-f', file])]
  const compose = (...more: string[]) =>
    runCommand(command, [...args, ...more], { cwd: folder, env: { ...process.env, ...env } })
  const idsOf = async (...query: string[]) =>
    (await engine.run(...query, '--quiet', '--filter', `name=${name}`)).split('\n').filter(Boolean)

  return {
    engine,
    folder,
    compose,
    async container(service) {
      const names = await engine.run('ps', '--format', '{{.Names}}', '--filter', `name=${name}`)
      const found = names
        .split('\n')
        .find((one) => new RegExp(`^${name}[-_]${service}[-_]\\d+$`).test(one))
      if (found === undefined) throw new EngineError(`${service} does not run; there is ${names}`)
      return found
    },
    async close() {
      await compose('down', '--volumes')
      // podman-compose leaves them.
      for (const id of await idsOf('network', 'ls')) await engine.run('network', 'rm', id)
      rmSync(folder, { recursive: true })
    },
  }
}

export const IMAGES = {
  gateway: { tag: 'sluice-gateway', dockerfile: 'Dockerfile.gateway' },
  paper: { tag: 'sluice-paper-exchange', dockerfile: 'gateway/paper-exchange/Dockerfile' },
  console: { tag: 'sluice-console', dockerfile: 'Dockerfile.console' },
} as const
export type ImageName = keyof typeof IMAGES

interface BuiltImage {
  readonly name: ImageName
  readonly seconds: number
  readonly megabytes: number
}

/**
 * Gets the base image of each Dockerfile where a registry can be reached: the pinned one, or the
 * newest. Elsewhere the one on this machine with the same tag is used, and reported.
 * @returns flags for the build command
 */
export async function pullBases(
  engine: Engine,
  report: (line: string) => void,
): Promise<readonly string[]> {
  const flags: string[] = []
  for (const { tag, digest, argument } of baseImages()) {
    if (argument === undefined) continue
    try {
      await engine.run('pull', '--quiet', `${tag}${digest}`)
    } catch {
      report(`${tag}${digest} cannot be pulled; the ${tag} on this machine is used.`)
      if (digest !== '') flags.push('--build-arg', `${argument}=${tag}`)
    }
  }
  return flags
}

/** Builds an image. `flags` go to the engine's build command as they are. */
export async function buildImage(
  engine: Engine,
  name: ImageName,
  flags: readonly string[],
): Promise<BuiltImage> {
  const { tag, dockerfile } = IMAGES[name]
  const startedMs = performance.now()
  // podman's own format has no health check.
  const format = engine.name === 'podman' ? ['--format', 'docker'] : []
  await engine.run(
    'build',
    '--pull=false',
    ...format,
    ...flags,
    '--file',
    dockerfile,
    '--tag',
    tag,
    '.',
  )
  const bytes = Number(await engine.run('image', 'inspect', '--format', '{{.Size}}', tag))
  return {
    name,
    seconds: Math.round((performance.now() - startedMs) / 1000),
    megabytes: Math.round(bytes / 1e6),
  }
}
