import { counted, runCommand, wholeNumber } from './cli.ts'

const USAGE = `Usage:
  npm run crash -- [--rounds N] [--seed N] [--at-once N] [--minutes N]

Lets bots trade with gateways to which things happen: kill -9, a stop, a rotation of the master key, a backup, a full disk,
a damaged database; the exchange misbehaves meanwhile. Then compares the responses that the bots got, the journal, and
what the exchange received. The exit code is 1 when an order was placed twice, lost or misreported.

  --rounds N    number of rounds, each with a gateway and an exchange of its own; default 20
  --seed N      of the first round; the next one has the next number. The same seed makes the same choices; default: a
                new one each time. To repeat a round: --rounds 1 --seed N
  --at-once N   number of rounds that run at the same time; default 3
  --minutes N   begins no round after this time`

await runCommand({
  usage: USAGE,
  options: {
    rounds: { type: 'string', default: '20' },
    seed: { type: 'string', default: `${Date.now() % 100_000}` },
    'at-once': { type: 'string', default: '3' },
    minutes: { type: 'string' },
  },
  async run(values) {
    const rounds = wholeNumber('rounds', values.rounds, 1, 1_000_000)
    const seed = wholeNumber('seed', values.seed, 0, 2 ** 31)
    const atOnce = wholeNumber('at-once', values['at-once'], 1, 100)
    const { minutes } = values
    const withinMs =
      minutes === undefined ? undefined : 60_000 * wholeNumber('minutes', minutes, 1, 100_000)
    const { runCrashes } = await import('../../gateway/test/crash/run.ts')
    console.log(`${counted(rounds, 'round')}, ${atOnce} at once; the first seed is ${seed}`)
    let done = 0
    const { violations, ...counts } = await runCrashes({
      ...{ rounds, seed, atOnce, withinMs },
      onRound({ plan, starts, ordersAtExchange, violations: found }) {
        done += 1
        const events = `${plan.events.join(', ')}${plan.acceptsDuplicates ? '; repeated ids accepted' : ''}`
        console.log(
          `${done}/${rounds} seed ${plan.seed}: ${events}; ${starts} starts, ${ordersAtExchange} orders`,
        )
        for (const violation of found) console.error(`  seed ${plan.seed}: ${violation}`)
      },
    })
    console.log(counts)
    console.log(
      violations.length === 0
        ? 'No order was placed twice, lost or misreported.'
        : `${counted(violations.length, 'violation')}, listed above with the seed of its round`,
    )
    return violations.length === 0 ? 0 : 1
  },
})
