import { Console } from 'node:console'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { expect, test, vi } from 'vitest'
import { testIo } from '../test/support/run-command.ts'
import { readRounds } from './crash.ts'
import { provideBundle } from './provide-bundle.ts'

test('a bundle that is not there or is not of these sources is built first, and one line says so', async () => {
  const print = vi.fn()
  const build = vi.fn(async () => '/new/main.js')
  expect(await provideBundle({ find: () => undefined, build }, print)).toBe('/new/main.js')
  expect(build).toHaveBeenCalledTimes(1)
  expect(print.mock.calls).toEqual([[expect.stringContaining('Building the gateway')]])
})

test('one that is fresh is used without a word', async () => {
  const print = vi.fn()
  const [build, main] = [vi.fn(), pathToFileURL(join('/', 'bundle', 'main.js'))]
  expect(await provideBundle({ find: () => main, build }, print)).toBe(fileURLToPath(main))
  expect(build).not.toHaveBeenCalled()
  expect(print).not.toHaveBeenCalled()
})

test('a crash run begins no round before there is a bundle', async () => {
  const { io } = testIo()
  const built = Promise.withResolvers<string>()
  const begun = vi.fn()
  const read = readRounds(
    { rounds: '1', seed: '7', 'at-once': '1' },
    { io, console: new Console(io.out) },
    () => built.promise,
  )
  void read.then(begun)
  await new Promise(setImmediate)
  expect(begun).not.toHaveBeenCalled()
  built.resolve('/main.js')
  expect(await read).toMatchObject({ rounds: 1, seed: 7, atOnce: 1 })
})
