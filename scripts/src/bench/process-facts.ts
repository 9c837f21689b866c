import { readFileSync } from 'node:fs'

/** What Linux tells of any process; other systems have no file for it. */
export interface ProcessFacts {
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
