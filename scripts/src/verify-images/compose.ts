import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { type Engine, EngineError, runCommand } from './engine.ts'

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
