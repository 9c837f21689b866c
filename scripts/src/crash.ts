import { parseArgs } from 'node:util'
import { runCrashes } from '../../gateway/test/crash/run.ts'
import { requireNode24 } from './cli.ts'

requireNode24()
const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '200' },
    bots: { type: 'string', default: '6' },
    seed: { type: 'string', default: `${Date.now() % 100_000}` },
    real: { type: 'boolean', default: false },
  },
})
const { kills, bots, seed, real } = values
console.log(`Killing the gateway ${kills} times while ${bots} bots trade; seed ${seed}`)
const report = await runCrashes({
  kills: Number(kills),
  bots: Number(bots),
  seed: Number(seed),
  isReal: real,
  onKill: (done) => {
    if (done % 10 === 0) console.log(`${done} kills`)
  },
})
const { violations, ...counts } = report
console.log(counts)
for (const violation of violations) console.error(violation)
console.log(
  violations.length === 0
    ? 'Nothing was placed twice, lost, or told wrong.'
    : `${violations.length} violations`,
)
process.exitCode = violations.length === 0 ? 0 : 1
