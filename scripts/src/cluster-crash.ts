import { counted, runCommand, wholeNumber } from './cli.ts'

const USAGE = `Usage:
  npm run cluster-crash -- [--rounds N] [--seed N] [--at-once N] [--minutes N]

Lets bots trade with three gateways on one PostgreSQL to which things happen: kill -9, a halt, a cut network, a clock that
jumps, a database that is stopped, crashes or has a full disk, a rolling restart; the exchange misbehaves meanwhile. Then
compares the responses that the bots got, the journal, and what the exchange received. The exit code is 1 when an order was
placed twice, lost or misreported, when two gateways sent at once or too fast, or when no other gateway took over within 10 s.

  --rounds N    number of rounds, each with a database, gateways and an exchange of its own; default 10
  --seed N      of the first round; the next one has the next number. The same seed makes the same choices; default: a
                new one each time. To repeat a round: --rounds 1 --seed N
  --at-once N   number of rounds that run at the same time; default 2
  --minutes N   begins no round after this time`

await runCommand({
  usage: USAGE,
  options: {
    rounds: { type: 'string', default: '10' },
    seed: { type: 'string', default: `${Date.now() % 100_000}` },
    'at-once': { type: 'string', default: '2' },
    minutes: { type: 'string' },
  },
  async run(values) {
    const rounds = wholeNumber('rounds', values.rounds, 1, 1_000_000)
    const seed = wholeNumber('seed', values.seed, 0, 2 ** 31)
    const atOnce = wholeNumber('at-once', values['at-once'], 1, 100)
    const { minutes } = values
    const withinMs =
      minutes === undefined ? undefined : 60_000 * wholeNumber('minutes', minutes, 1, 100_000)
    const { runClusterCrashes } = await import('../../gateway/test/cluster-crash/run.ts')
    console.log(`${counted(rounds, 'round')}, ${atOnce} at once; the first seed is ${seed}`)
    // The servers survive this process unless it ends them.
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
    let done = 0
    const { violations, takeovers, ...counts } = await runClusterCrashes({
      ...{ rounds, seed, atOnce, withinMs },
      onRound({ plan, logs, starts, ordersAtExchange, takeovers: took, violations: found }) {
        done += 1
        const events = `${plan.events.join(', ')}${plan.acceptsDuplicates ? '; repeated ids accepted' : ''}`
        const times = took.map(({ callMs }) => `${(callMs / 1000).toFixed(1)} s`).join(', ')
        console.log(
          `${done}/${rounds} seed ${plan.seed}: ${events}; ${starts} starts, ${ordersAtExchange} orders; taken over in ${times || 'no case'}`,
        )
        for (const violation of found) console.error(`  seed ${plan.seed}: ${violation}`)
        if (found.length > 0) console.error(`  The logs of the gateways are in ${logs}`)
      },
    })
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
    console.log(
      violations.length === 0
        ? 'No order was placed twice, lost or misreported.'
        : `${counted(violations.length, 'violation')}, listed above with the seed of its round`,
    )
    return violations.length === 0 ? 0 : 1
  },
})
