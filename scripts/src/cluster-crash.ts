import type { ClusterReport } from '../../gateway/test/cluster-crash/run.ts'
import { command, runAsProcess } from './cli.ts'
import { conclude, readRounds, roundOptions, roundPrinter } from './crash.ts'

const USAGE = `Usage:
  npm run cluster-crash -- [--rounds N] [--seed N] [--at-once N] [--minutes N]

Lets bots trade with three gateways on one PostgreSQL to which things happen: kill -9, a halt at any step, a cut network, a
clock that jumps, a rolling restart, a database that is slow, is stopped, crashes, has a full disk or no free connection. The
exchange misbehaves too. Then compares the responses that the bots got, the journal, and what the exchange received.
The exit code is 1 when an order was placed twice, lost or misreported, when two gateways sent at once or too fast, or when
no other gateway took over within 10 s.

  --rounds N    number of rounds, each with a database, gateways and an exchange of its own; default 10
  --seed N      of the first round; the next one has the next number. The same seed makes the same choices; default: a
                new one each time. To repeat a round: --rounds 1 --seed N
  --at-once N   number of rounds that run at the same time; default 2
  --minutes N   begins no round after this time. Ctrl-C does the same at once, and reports those that have begun`

export const run = command({
  usage: USAGE,
  options: roundOptions('10', '2'),
  async run(values, _positionals, call) {
    const { console } = call
    const options = await readRounds(values, call)
    const { runClusterCrashes } = await import('../../gateway/test/cluster-crash/run.ts')
    const onRound = roundPrinter<ClusterReport>(options.rounds, console, {
      more({ takeovers }) {
        const times = takeovers.map(({ callMs }) => `${(callMs / 1000).toFixed(1)} s`).join(', ')
        return `; taken over in ${times || 'no case'}`
      },
      onViolations: ({ logs }) => console.error(`  The logs of the gateways are in ${logs}`),
    })
    const { violations, takeovers, ...counts } = await runClusterCrashes({ ...options, onRound })
    console.log(counts)
    console.log('Milliseconds until another gateway was the owner, and until its first call:')
    console.table(
      Object.fromEntries(
        Object.entries(takeovers).map(([event, { count, ownerMs, callMs }]) => [
          event,
          {
            ...{ count, 'owner median': ownerMs.median, 'owner p99': ownerMs.p99 },
            ...{ 'call median': callMs.median, 'call p99': callMs.p99 },
          },
        ]),
      ),
    )
    return conclude(violations, console)
  },
})

await runAsProcess(import.meta, run)
