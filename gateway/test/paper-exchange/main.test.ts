import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { send } from './paper.ts'

const main = fileURLToPath(new URL('../../paper-exchange/src/main.ts', import.meta.url))

/** The program as a person starts it, with what it has said so far. */
function start(env: Record<string, string>) {
  const child = spawn(process.execPath, [main], { env: { ...process.env, ...env } })
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  const said = { out: '', err: '' }
  child.stdout.on('data', (chunk) => {
    said.out += chunk
  })
  child.stderr.on('data', (chunk) => {
    said.err += chunk
  })
  const exitCode = new Promise<number | null>((resolve) => {
    // Later than 'exit': all that it said has been read.
    child.once('close', resolve)
  })
  return { child, said, exitCode }
}

test('the paper exchange prints its address and keys, serves, and stops on SIGTERM', async () => {
  const { child, said, exitCode } = start({ PORT: '0' })
  await expect.poll(() => said.out).toContain('/paper/faults')
  const url = /Paper exchange: (http:\/\/127\.0\.0\.1:\d+)/.exec(said.out)?.[1]
  expect(said.out).toMatch(/demo-mexc: key mx0v\w+, secret \w+/)
  expect(said.out).toMatch(/demo-bitget: key bg_\w+, secret \w+, passphrase \w+/)
  expect(said.out).toMatch(/demo-bitget-classic: key bg_\w+, secret \w+, passphrase \w+/)
  expect((await send(`${url}/api/v3/time`)).status).toBe(200)
  child.kill('SIGTERM')
  expect(await exitCode).toBe(0)
})

test('the paper exchange names a port that is taken, and an invalid port', async () => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const taken = start({ PORT: `${port}` })
  expect(await taken.exitCode).toBe(1)
  expect(taken.said.err).toContain(`Port ${port} on 127.0.0.1 is taken`)
  const wrong = start({ PORT: 'eighty' })
  expect(await wrong.exitCode).toBe(1)
  expect(wrong.said.err).toContain('PORT is "eighty"')
})
