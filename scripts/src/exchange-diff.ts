import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { command, runAsProcess } from './cli.ts'

const USAGE = `Usage:
  npm run exchange-diff [-- --page]

Compares the calls that clients may make, the exchanges' error codes and their limits with what the installed versions of
ccxt, bitget-api and mexc-api-sdk know. Works offline. The exit code is 1 when nobody has decided about something that
they know; a test fails then too. Run it after each upgrade of an SDK.

  --page   also regenerates docs/evidence/open-calls.md and docs/reference/limited-calls.md from the policy`

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
    if (page) await renewPages(console)
    return problems.length === 0 ? 0 : 1
  },
})

async function renewPages(console: Pick<Console, 'log'>): Promise<void> {
  const { renderOpenCalls } = await import('../../gateway/test/support/render-open-calls.ts')
  const { renderLimitedCalls } = await import('../../gateway/test/support/render-limited-calls.ts')
  const pages = {
    'docs/evidence/open-calls.md': renderOpenCalls(),
    'docs/reference/limited-calls.md': renderLimitedCalls(),
  }
  for (const [path, text] of Object.entries(pages)) {
    writeFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), text)
    console.log(`Made ${path}`)
  }
}

await runAsProcess(import.meta, run)
