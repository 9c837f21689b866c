import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { runCommand } from './cli.ts'

const USAGE = `Usage:
  npm run exchange-diff [-- --page]

Compares the calls that clients may make, the exchanges' error codes and their limits with what the installed versions of
ccxt, bitget-api and mexc-api-sdk know. Works offline. The exit code is 1 when nobody has decided about something that
they know; a test fails then too. Run it after each upgrade of an SDK.

  --page   also regenerates docs/open-calls.md from the policy`

await runCommand({
  usage: USAGE,
  options: { page: { type: 'boolean', default: false } },
  async run({ page }) {
    const { exchangeDiff, factsOf, problemsOf } = await import(
      '../../gateway/test/exchange-diff/report.ts'
    )
    const diff = exchangeDiff()
    const problems = problemsOf(diff)
    console.log([...factsOf(diff), ...problems].join('\n'))
    if (problems.length === 0) console.log('Nothing to decide.')
    if (page) {
      const { renderOpenCalls } = await import('../../gateway/test/support/render-open-calls.ts')
      const path = 'docs/open-calls.md'
      writeFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), renderOpenCalls())
      console.log(`Made ${path}`)
    }
    return problems.length === 0 ? 0 : 1
  },
})
