import { runCommand, wholeNumber } from './cli.ts'

const USAGE = `Usage:
  npm run crash -- [--kills N] [--bots N] [--seed N] [--real]

Kills the gateway again and again while bots trade and the exchange misbehaves, then compares the responses that the bots
got with what the exchange received. The exit code is 1 when an order was placed twice, lost or misreported.

  --kills N   number of kills; default 200
  --bots N    number of bots that trade at once; default 6
  --seed N    the same seed makes the same choices; default: a new one each time
  --real      run the real entry point with its real pauses, which takes some minutes longer`

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
        ? 'No order was placed twice, lost or misreported.'
        : `${violations.length} violations`,
    )
    return violations.length === 0 ? 0 : 1
  },
})
