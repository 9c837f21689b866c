import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { COMMIT, VERSION } from '../src/version.ts'
import { testApp } from './app.ts'
import { MAIN } from './campaign/gateway.ts'
import { tempFolder } from './support/temp-folder.ts'

interface Started {
  readonly child: ChildProcess
  readonly output: () => string
  /** The port it listens on; rejects when it ends before. */
  readonly listening: Promise<number>
  readonly ended: Promise<number | null>
}

function startGateway(env: Record<string, string>): Started {
  const child = spawn(process.execPath, [MAIN], {
    env: { PATH: process.env.PATH ?? '', PORT: '0', ...NOWHERE, ...env },
  })
  let text = ''
  const ended = once(child, 'close').then(() => child.exitCode)
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const read = (chunk: Buffer) => {
    text += chunk.toString()
    const port = /listening at http:\/\/127\.0\.0\.1:(\d+)/.exec(text)?.[1]
    if (port !== undefined) resolve(Number(port))
  }
  child.stdout.on('data', read)
  child.stderr.on('data', read)
  ended.then(() => reject(new Error(`it ended: ${text}`)))
  promise.catch(() => {})
  onTestFinished(() => void child.kill('SIGKILL'))
  return { child, output: () => text, listening: promise, ended }
}

/** Exchanges that refuse every connection: nothing here may reach the real ones. */
const NOWHERE = {
  MEXC_SPOT_URL: 'http://127.0.0.1:9',
  MEXC_FUTURES_URL: 'http://127.0.0.1:9',
  BITGET_URL: 'http://127.0.0.1:9',
}

const databaseIn = (folder: string) => ({ DATABASE_URL: `file:${join(folder, 'sluice.db')}` })

async function stop({ child, ended }: Started): Promise<number | null> {
  child.kill('SIGTERM')
  return ended
}

test('the first start creates database and key for this user alone and names a misspelt setting, the second uses both', async () => {
  const folder = tempFolder()
  const first = startGateway({ ...databaseIn(folder), TRUST_PROXI: 'a-value-of-mine' })
  const port = await first.listening
  const ready = await fetch(`http://127.0.0.1:${port}/health/ready`)
  expect(await ready.json()).toEqual({
    ...{ status: 'ready', reasons: [], version: VERSION, commit: COMMIT },
  })
  for (const name of ['sluice.db', 'master.key'])
    expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
  expect(first.output()).toContain('keep a copy apart from the database')
  // Without its value.
  await expect.poll(first.output).toContain('Did you mean TRUST_PROXY?')
  expect(first.output()).not.toContain('a-value-of-mine')
  expect(await stop(first)).toBe(0)

  const second = startGateway(databaseIn(folder))
  await second.listening
  expect(second.output()).not.toContain('a new master key was created')
  expect(await stop(second)).toBe(0)
})

test('a port that is taken is named', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const started = startGateway({ ...databaseIn(tempFolder()), PORT: `${port}` })
  expect(await started.ended).toBe(1)
  expect(started.output()).toContain(`${port}`)
  expect(started.output()).toContain('another program uses this port')
})

test('a master key that does not match the database stops the start, and the error says so', async () => {
  const env = databaseIn(tempFolder())
  const { app } = await testApp({ env: { ...env, MASTER_KEY: '' } })
  await app.close()
  const other = randomBytes(32).toString('base64')
  const started = startGateway({ ...env, MASTER_KEY: other })
  expect(await started.ended).toBe(1)
  expect(started.output()).toMatch(/master key/i)
  expect(started.output()).not.toContain(other)
})

test('a wrong setting stops the start with its name', async () => {
  const started = startGateway({ ...databaseIn(tempFolder()), LOG_LEVEL: 'loud' })
  expect(await started.ended).toBe(1)
  expect(started.output()).toContain('LOG_LEVEL is "loud"')
  expect(started.output()).not.toContain('    at ')
})

test('a reader of its log that has stopped reading does not stop it', async () => {
  const gateway = startGateway({ ...databaseIn(tempFolder()), LOG_LEVEL: 'debug' })
  const port = await gateway.listening
  gateway.child.stdout?.pause()
  // Their lines are several times what the pipe and the streams at its ends hold.
  const statuses = new Set<number>()
  for (let batch = 0; batch < 30; batch += 1)
    for (const { status } of await Promise.all(
      Array.from({ length: 100 }, () => fetch(`http://127.0.0.1:${port}/health/live`)),
    ))
      statuses.add(status)
  expect([...statuses]).toEqual([200])
  gateway.child.stdout?.resume()
  expect(await stop(gateway)).toBe(0)
  expect(gateway.output().match(/"path":"\/health\/live"/g)).toHaveLength(3_000)
})
