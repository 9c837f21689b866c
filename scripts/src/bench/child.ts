import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The cores that a gateway benchmark uses: one for what is measured, one for all around it. */
type Core = 'measured' | 'around'

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

/** What a process of this folder replies to a message. @throws when it ends instead */
export function ask<Reply>(child: ChildProcess, message: object): Promise<Reply> {
  const reply = messageOf<Reply>(child)
  child.send(message)
  return reply
}

/** A process of this folder that serves HTTP, and sends its address when it does. */
export async function startServer(core: Core, file: string, args: readonly string[] = []) {
  const child = forkOn(core, file, args)
  const { address } = await messageOf<{ address: { port: number } }>(child)
  return { child, url: `http://127.0.0.1:${address.port}`, stop: () => endChild(child) }
}

/** The exchange of the benchmarks. */
export const startStub = () => startServer('around', 'stub-exchange.ts')

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

/** What Linux tells of any process; other systems have no file for it. */
interface ProcessFacts {
  /** The CPU time of all its threads since its start. */
  readonly cpuMs: number
  /** Resident memory now, and at its greatest since the start. */
  readonly memoryMb: number
  readonly peakMb: number
}

/** Linux counts CPU time in hundredths of a second, whatever the kernel's own clock is. */
const TICK_MS = 10

/** @returns undefined where it cannot be read */
export function processFacts(pid: number | undefined): ProcessFacts | undefined {
  if (process.platform !== 'linux' || pid === undefined) return undefined
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const megabytes = (name: string) =>
    (Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 1024) / 1e6
  return {
    cpuMs: cpuTicks(readFileSync(`/proc/${pid}/stat`, 'utf8')) * TICK_MS,
    memoryMb: megabytes('VmRSS'),
    peakMb: megabytes('VmHWM'),
  }
}

/** proc_pid_stat(5): user and system time are the fields 14 and 15; the name before may be any. */
function cpuTicks(stat: string): number {
  const afterName = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return Number(afterName[11]) + Number(afterName[12])
}
