import type { RoundReport } from '../../gateway/test/campaign/rounds.ts'
import { type Call, command, counted, runAsProcess, wholeNumber } from './cli.ts'
import { provideBundle } from './provide-bundle.ts'

const USAGE = `Usage:
  npm run crash -- [--rounds N] [--seed N] [--at-once N] [--minutes N]

Lets bots trade with gateways to which things happen: kill -9, a stop, a rotation of the master key, a backup, a full disk,
a damaged database; the exchange misbehaves too. Then compares the responses that the bots got, the journal, and
what the exchange received. The exit code is 1 when an order was placed twice, lost or misreported.

  --rounds N    number of rounds, each with a gateway and an exchange of its own; default 20
  --seed N      of the first round; the next one has the next number. The same seed makes the same choices; default: a
                new one each time. To repeat a round: --rounds 1 --seed N
  --at-once N   number of rounds that run at the same time; default 3
  --minutes N   begins no round after this time. Ctrl-C does the same at once, and reports those that have begun`

/** The options of the crash runs, as parseArgs takes them. */
export const roundOptions = (rounds: string, atOnce: string) => ({
  rounds: { type: 'string' as const, default: rounds },
  seed: { type: 'string' as const, default: `${Date.now() % 100_000}` },
  'at-once': { type: 'string' as const, default: atOnce },
  minutes: { type: 'string' as const },
})

interface RoundValues {
  readonly rounds: string
  readonly seed: string
  readonly 'at-once': string
  readonly minutes?: string | undefined
}

export const run = command({
  usage: USAGE,
  options: roundOptions('20', '3'),
  async run(values, _positionals, call) {
    const { console } = call
    const options = await readRounds(values, call)
    const { runCrashes } = await import('../../gateway/test/crash/run.ts')
    const onRound = roundPrinter(options.rounds, console)
    const { violations, ...counts } = await runCrashes({ ...options, onRound })
    console.log(counts)
    return conclude(violations, console)
  },
})

/**
 * Reads the options of a crash run, prints them, and provides the bundle that its gateways run. At
 * the first Ctrl-C it begins no further round and reports those that it has begun; the second one
 * ends the process.
 * @throws UsageError
 */
export async function readRounds(
  values: RoundValues,
  { io, console }: Pick<Call, 'io' | 'console'>,
  provide = () => provideBundle(undefined, (line) => console.log(line)),
) {
  const rounds = wholeNumber('rounds', values.rounds, 1, 1_000_000)
  const seed = wholeNumber('seed', values.seed, 0, 2 ** 31)
  const atOnce = wholeNumber('at-once', values['at-once'], 1, 100)
  const { minutes } = values
  const withinMs =
    minutes === undefined ? undefined : 60_000 * wholeNumber('minutes', minutes, 1, 100_000)
  console.log(`${counted(rounds, 'round')}, ${atOnce} at once; the first seed is ${seed}`)
  const signal = io.stopSignal()
  signal.addEventListener('abort', () =>
    console.log(
      'No further round begins. Those that have begun end first; Ctrl-C again ends them.',
    ),
  )
  await provide()
  return { rounds, seed, atOnce, withinMs, signal }
}

/** Prints a line for each round that ended, and what is wrong in it. */
export function roundPrinter<Report extends RoundReport>(
  rounds: number,
  console: Call['console'],
  { more, onViolations }: RoundLine<Report> = {},
): (report: Report) => void {
  let done = 0
  return (report) => {
    const { plan, starts, ordersAtExchange, violations } = report
    done += 1
    const events = `${plan.events.join(', ')}${plan.acceptsDuplicates ? '; repeated ids accepted' : ''}`
    console.log(
      `${done}/${rounds} seed ${plan.seed}: ${events}; ${starts} starts, ${ordersAtExchange} orders${more?.(report) ?? ''}`,
    )
    for (const violation of violations) console.error(`  seed ${plan.seed}: ${violation}`)
    if (violations.length > 0) onViolations?.(report)
  }
}

interface RoundLine<Report> {
  /** What the line says at its end. */
  readonly more?: (report: Report) => string
  readonly onViolations?: (report: Report) => void
}

/** Prints the result. @returns the exit code */
export function conclude(violations: readonly string[], console: Call['console']): 0 | 1 {
  if (violations.length === 0) {
    console.log('No order was placed twice, lost or misreported.')
    return 0
  }
  console.log(`${counted(violations.length, 'violation')}, listed above with the seed of its round`)
  return 1
}

await runAsProcess(import.meta, run)
