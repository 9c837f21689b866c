import { runCommand, wholeNumber } from './cli.ts'

const USAGE = `Usage:
  npm run crash -- [--kills N] [--bots N] [--seed N] [--real]

Kills the gateway again and again while bots trade and the exchange misbehaves, then compares what the bots were told
with what the exchange received. The exit code is 1 when an order was placed twice, lost, or told wrong.

  --kills N   how often it is killed; 200 unless told
  --bots N    how many trade at once; 6 unless told
  --seed N    the same seed makes the same choices; another one each time unless told
  --real      the real entry point with its real pauses: minutes more at the end`

await runCommand({
  usage: USAGE,
  options: {
    kills: { type: 'string', default: '200' },
    bots: { type: 'string', default: '6' },
    seed: { type: 'string', default: `${Date.now() % 100_000}` },
    real: { type: 'boolean', default: false },
  },
  async run(values) {
    const kills = wholeNumber('kills', values.kills, 1, 1_000_000)
    const bots = wholeNumber('bots', values.bots, 1, 100)
    const seed = wholeNumber('seed', values.seed, 0, 2 ** 32 - 1)
    const { runCrashes } = await import('../../gateway/test/crash/run.ts')
    console.log(`Killing the gateway ${kills} times while ${bots} bots trade; seed ${seed}`)
    const { violations, ...counts } = await runCrashes({
      kills,
      bots,
      seed,
      isReal: values.real,
      onKill: (done) => {
        if (done % 10 === 0) console.log(`${done} kills`)
      },
    })
    console.log(counts)
    for (const violation of violations) console.error(violation)
    console.log(
      violations.length === 0
        ? 'Nothing was placed twice, lost, or told wrong.'
        : `${violations.length} violations`,
    )
    return violations.length === 0 ? 0 : 1
  },
})
