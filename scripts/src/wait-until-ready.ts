import { setTimeout as sleep } from 'node:timers/promises'
import { readConfig, readyUrl } from 'gateway/config.ts'
import { command, runAsProcess, wholeNumber } from './cli.ts'

const USAGE = `Usage:
  node scripts/src/wait-until-ready.ts [--seconds N]

What the unit runs after it has started the gateway: waits until /health/ready says ready. A gateway that responds but is
not ready after N seconds (60) is left running: the command says why, and succeeds. It fails when the process $MAINPID
ends, or, without $MAINPID, when nothing responds for N seconds.`

const PAUSE_MS = 200
const PATIENCE_MS = 5_000

export const run = command({
  usage: USAGE,
  options: { seconds: { type: 'string', default: '60' } },
  async run({ seconds }, _positionals, { env, console }) {
    const limitMs = wholeNumber('seconds', seconds, 0, 86_400) * 1_000
    const url = readyUrl(readConfig(env).listen)
    const pid = env.MAINPID === undefined ? undefined : Number(env.MAINPID)
    const startedAtMs = performance.now()
    let respondsSinceMs: number | undefined
    for (;;) {
      const response = await readiness(url)
      if (response?.isReady) return 0
      const nowMs = performance.now()
      if (response !== undefined) respondsSinceMs ??= nowMs
      if (response !== undefined && nowMs - (respondsSinceMs ?? nowMs) >= limitMs) {
        console.error(`The gateway runs, but it is not ready: ${response.reasons.join('; ')}`)
        return 0
      }
      if (pid === undefined ? nowMs - startedAtMs >= limitMs : !isRunning(pid)) {
        console.error('The gateway does not respond; its log says why.')
        return 1
      }
      await sleep(PAUSE_MS)
    }
  },
})

interface Readiness {
  readonly isReady: boolean
  readonly reasons: readonly string[]
}

/** Undefined while nothing responds as the gateway does. */
async function readiness(url: string): Promise<Readiness | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS) })
    const { reasons = [] } = Object(await response.json())
    return { isReady: response.ok, reasons }
  } catch {
    return undefined // It has not opened its port yet: the caller asks again.
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false // Only a process that ended cannot be signalled: both have the same user.
  }
}

await runAsProcess(import.meta, run)
