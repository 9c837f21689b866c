import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants } from 'node:fs'
import { availableParallelism } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The cores that a gateway benchmark uses: one for what is measured, one for all around it. */
export type Core = 'measured' | 'around'

const CORES: Readonly<Record<Core, string>> = { measured: '1', around: '0' }

/** The path of an installed program; undefined when there is none. */
export function findProgram(name: string): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin']
  return folders.map((folder) => join(folder, name)).find(isExecutable)
}

/** Whether processes can be kept on one core: on Linux, with util-linux and two cores. */
export function canPin(): boolean {
  return availableParallelism() >= 2 && findProgram('taskset') !== undefined
}

/** The program and its arguments that keep another program on a core; empty when it cannot be. */
export function onCore(core: Core): string[] {
  const taskset = findProgram('taskset')
  return taskset === undefined || !canPin() ? [] : [taskset, '-c', CORES[core]]
}

/** A process of this folder with its message channel. The caller ends it with `disconnect`. */
export function forkOn(core: Core, file: string, args: readonly string[] = []): ChildProcess {
  const [program = process.execPath, ...rest] = [...onCore(core), process.execPath]
  const path = fileURLToPath(new URL(file, import.meta.url))
  return fork(path, args, { execPath: program, execArgv: rest, stdio: ['ignore', 2, 2, 'ipc'] })
}

/** The next message of a process. @throws when it ends instead */
export async function messageOf<T>(child: ChildProcess): Promise<T> {
  const ending = new AbortController()
  const { signal } = ending
  try {
    return await Promise.race([
      once(child, 'message', { signal }).then(([message]) => message as T),
      once(child, 'exit', { signal }).then(([code]) => {
        throw new Error(`${child.spawnargs.join(' ')} ended with ${code}`)
      }),
    ])
  } finally {
    ending.abort()
  }
}

/** Ends a process of `forkOn`, and waits until it has ended. */
export async function endChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.disconnect()
  await ended
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
