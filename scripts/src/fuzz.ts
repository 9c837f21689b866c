import type { FuzzResult } from '../../gateway/test/fuzz/run-fuzz.ts'
import { command, runAsProcess, UsageError, wholeNumber } from './cli.ts'

const USAGE = `Usage:
  npm run fuzz -- [--seed N] [--inputs N] [--only TARGET] [--path PATH]

Gives generated inputs to every part of the gateway that reads what others write, and checks what must hold for each.
The exit code is 1 when an input broke a promise; the command that repeats it is printed. docs/evidence/fuzzing.md lists
the targets.

  --seed N        the same seed makes the same inputs; default: a new one each time
  --inputs N      how many in all, shared by the targets; default 100000
  --only TARGET   one target alone, such as "paths"
  --path PATH     with --only: the one input of a finding, as it was printed`

/** How often a line says how far it is. */
const PROGRESS_MS = 5_000

export const run = command({
  usage: USAGE,
  options: {
    seed: { type: 'string', default: `${Date.now() % 1_000_000}` },
    inputs: { type: 'string', default: '100000' },
    only: { type: 'string' },
    path: { type: 'string' },
  },
  async run({ only, path, ...values }, _positionals, { console }) {
    const seed = wholeNumber('seed', values.seed, 0, 2 ** 31 - 1)
    const inputs = wholeNumber('inputs', values.inputs, 1, 1_000_000_000)
    const { targets } = await import('../../gateway/test/fuzz/targets.ts')
    const names = targets.map(({ name }) => name)
    if (only !== undefined && !names.includes(only))
      throw new UsageError(`There is no target "${only}"; there are ${names.join(', ')}`)
    if (path !== undefined && only === undefined) throw new UsageError('--path needs --only')
    const { runFuzz } = await import('../../gateway/test/fuzz/run-fuzz.ts')
    console.log(`Seed ${seed}, ${inputs} inputs`)
    let startedMs = performance.now()
    let shownMs = startedMs
    const results = await runFuzz({
      ...{ seed, inputs, only, path },
      onTarget({ name, about }, count) {
        startedMs = performance.now()
        console.log(`\n== ${name}: ${about}; ${count} inputs`)
      },
      onProgress(_target, done) {
        const nowMs = performance.now()
        if (nowMs - shownMs < PROGRESS_MS) return
        shownMs = nowMs
        console.log(`${done} inputs, ${perSecond(done, nowMs - startedMs)} per second`)
      },
      onEnd: (result) => console.log(endText(result, { seed, inputs, only })),
    })
    const all = results.reduce((sum, result) => sum + result.inputs, 0)
    const findings = results.filter(({ finding }) => finding !== undefined).length
    console.log(`\n${all} inputs, ${findings} findings, seed ${seed}`)
    return findings === 0 ? 0 : 1
  },
})

interface Asked {
  readonly seed: number
  readonly inputs: number
  readonly only: string | undefined
}

function endText({ target, inputs, ms, finding }: FuzzResult, asked: Asked): string {
  const seconds = (ms / 1000).toFixed(1)
  const end = `${inputs} inputs in ${seconds} s, ${perSecond(inputs, ms)} per second`
  if (finding === undefined) return end
  return `${end}
FOUND by ${target}: ${finding.message}
Input: ${finding.input}
Repeat: npm run fuzz -- --only ${target} --seed ${asked.seed} --path ${finding.path}`
}

function perSecond(inputs: number, ms: number): number {
  return Math.round((inputs * 1000) / Math.max(ms, 1))
}

await runAsProcess(import.meta, run)
