import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { command, runAsProcess } from './cli.ts'

const USAGE = `Usage:
  npm run exchange-diff [-- --page]

Compares the calls that clients may make, the exchanges' error codes and their limits with what the installed versions of
ccxt, bitget-api and mexc-api-sdk know. Works offline. The exit code is 1 when nobody has decided about something that
they know; a test fails then too. Run it after each upgrade of an SDK.

  --page   also regenerates docs/evidence/open-calls.md and the last section of docs/limits.md from the policy`

export const run = command({
  usage: USAGE,
  options: { page: { type: 'boolean', default: false } },
  async run({ page }, _positionals, { console }) {
    const { exchangeDiff, factsOf, problemsOf } = await import(
      '../../gateway/test/exchange-diff/report.ts'
    )
    const diff = exchangeDiff()
    const problems = problemsOf(diff)
    console.log([...factsOf(diff), ...problems].join('\n'))
    if (problems.length === 0) console.log('Nothing to decide.')
    if (page) {
      const { renderOpenCalls } = await import('../../gateway/test/support/render-open-calls.ts')
      const path = 'docs/evidence/open-calls.md'
      writeFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), renderOpenCalls())
      console.log(`Made ${path}`)
      await renewLimitedCalls()
    }
    return problems.length === 0 ? 0 : 1
  },
})

async function renewLimitedCalls(): Promise<void> {
  const { renderLimitedCalls } = await import('../../gateway/test/support/render-limited-calls.ts')
  const file = fileURLToPath(new URL('../../docs/limits.md', import.meta.url))
  const [before = ''] = readFileSync(file, 'utf8').split('## Each call')
  writeFileSync(file, `${before}${renderLimitedCalls()}`)
}

await runAsProcess(import.meta, run)
