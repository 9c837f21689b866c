import { command, runAsProcess } from './cli.ts'
import { conclude, readRounds, roundOptions, roundPrinter } from './crash-rounds.ts'

const USAGE = `Usage:
  npm run crash -- [--rounds N] [--seed N] [--at-once N] [--minutes N]

Lets bots trade with gateways to which things happen: kill -9, a stop, a rotation of the master key, a backup, a full disk,
a damaged database; the exchange misbehaves meanwhile. Then compares the responses that the bots got, the journal, and
what the exchange received. The exit code is 1 when an order was placed twice, lost or misreported.

  --rounds N    number of rounds, each with a gateway and an exchange of its own; default 20
  --seed N      of the first round; the next one has the next number. The same seed makes the same choices; default: a
                new one each time. To repeat a round: --rounds 1 --seed N
  --at-once N   number of rounds that run at the same time; default 3
  --minutes N   begins no round after this time. Ctrl-C does the same at once, and reports those that have begun`

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

await runAsProcess(import.meta, run)
