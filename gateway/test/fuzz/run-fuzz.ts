import fc from 'fast-check'
import type { Target } from './target.ts'
import { targets } from './targets.ts'

export interface FuzzOptions {
  readonly seed: number
  /** Over all targets, shared by their weights. */
  readonly inputs: number
  /** The name of the one target that runs; all when absent. */
  readonly only?: string | undefined
  /** Only with `only`: the run of fast-check that is repeated. */
  readonly path?: string | undefined
  readonly onTarget?: (target: Target, inputs: number) => void
  /** Called after each run of a property. */
  readonly onProgress?: (target: Target, done: number) => void
  readonly onEnd?: (result: FuzzResult) => void
}

export interface FuzzResult {
  readonly target: string
  readonly inputs: number
  readonly ms: number
  readonly finding?: Finding
}

interface Finding {
  /** What was expected, and what came. */
  readonly message: string
  readonly input: string
  /** With the seed, what leads fast-check to this input. */
  readonly path: string
}

/** Runs the targets one after another, with generated inputs that follow from the seed. */
export async function runFuzz(options: FuzzOptions): Promise<FuzzResult[]> {
  const { seed, inputs, only, path, onTarget, onProgress, onEnd } = options
  const chosen = targets.filter(({ name }) => only === undefined || name === only)
  const weights = chosen.reduce((sum, { weight }) => sum + weight, 0)
  const results: FuzzResult[] = []
  for (const target of chosen) {
    const count = Math.max(1, Math.round((inputs * target.weight) / weights))
    onTarget?.(target, count)
    const result = await runTarget(target, { seed, count, path }, (done) =>
      onProgress?.(target, done),
    )
    results.push(result)
    onEnd?.(result)
  }
  return results
}

async function runTarget(
  target: Target,
  { seed, count, path }: { seed: number; count: number; path: string | undefined },
  onProgress: (done: number) => void,
): Promise<FuzzResult> {
  const startedMs = performance.now()
  const { property, inputsPerRun = 1, isSlow = false, close } = await target.open()
  try {
    const numRuns = Math.ceil(count / inputsPerRun)
    let runs = 0
    const counted = counting(property, () => {
      runs = Math.min(runs + 1, numRuns)
      onProgress(runs * inputsPerRun)
    })
    const details = await fc.check(counted, {
      seed,
      numRuns,
      endOnFailure: isSlow,
      ...(path === undefined ? {} : { path }),
    })
    const result = { target: target.name, inputs: runs * inputsPerRun, ms: 0 }
    const ms = Math.round(performance.now() - startedMs)
    if (!details.failed) return { ...result, ms }
    const { errorInstance: error, counterexample, counterexamplePath } = details
    const finding = {
      message: error instanceof Error ? (error.stack ?? error.message) : String(error),
      input: fc.stringify(counterexample),
      path: counterexamplePath ?? '',
    }
    return { ...result, ms, finding }
  } finally {
    await close?.()
  }
}

/** The same property, which reports each run. */
function counting(
  property: fc.IRawProperty<unknown, boolean>,
  onRun: () => void,
): fc.IRawProperty<unknown, boolean> {
  return new Proxy(property, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      if (name !== 'run') return value.bind(target)
      return (...values: unknown[]) => {
        onRun()
        return value.apply(target, values)
      }
    },
  })
}
