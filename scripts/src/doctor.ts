import { examine } from 'gateway/operations/doctor/examine.ts'
import type { Finding } from 'gateway/operations/doctor/finding.ts'
import { counted, runCommand } from './cli.ts'

const USAGE = `Usage:
  npm run doctor

Checks the configuration, files, database, master key, clock, exchanges and exchange keys with the environment that the
gateway would have. Changes nothing. The exit code is 1 when something fails.`

await runCommand({
  usage: USAGE,
  async run() {
    const counts = { ok: 0, warn: 0, fail: 0 }
    for await (const finding of examine(process.env, { nowMs: Date.now })) {
      counts[finding.level] += 1
      console.log(line(finding))
    }
    console.log(
      `\n${counts.ok} ok, ${counted(counts.warn, 'warning')}, ${counted(counts.fail, 'failure')}`,
    )
    return counts.fail > 0 ? 1 : 0
  },
})

function line({ level, subject, found, advice }: Finding): string {
  const head = `${level.padEnd(5)} ${subject}: ${found}`
  return advice === undefined ? head : `${head}\n      → ${advice}`
}
