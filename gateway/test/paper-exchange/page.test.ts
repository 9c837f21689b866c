import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { createPaperExchange } from 'paper-exchange/paper-exchange.ts'
import { expect, onTestFinished, test } from 'vitest'

const PAGE = new URL('../../../docs/paper-exchange.md', import.meta.url)

test('each command of docs/paper-exchange.md works', async () => {
  const paper = await createPaperExchange({
    accounts: [
      { exchange: 'mx', name: 'demo-mexc', apiKey: 'mx', apiSecret: 'secret' },
      { exchange: 'bg', name: 'demo-bitget', apiKey: 'bg', apiSecret: 'secret', unified: true },
    ],
  })
  onTestFinished(() => paper.close())
  const blocks = [...readFileSync(PAGE, 'utf8').matchAll(/```sh\n(.*?)```/gs)]
  const script = blocks.map(([, commands]) => commands).join('\n')
  const here = script.replace('http://localhost:8082/paper', `${paper.url}/paper`)
  expect(here).toContain(paper.url)
  const commands = `curl() { command curl -sSf "$@"; }\n${here}`
  const { stdout } = await promisify(execFile)('bash', ['-euc', commands])
  expect(stdout).toContain('demo-mexc')
  expect(paper.faults.list()).toEqual([])
})
