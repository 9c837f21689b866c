import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { expect, onTestFinished, test, vi } from 'vitest'
import { readRounds } from './crash-rounds.ts'
import { provideBundle } from './provide-bundle.ts'

function watchOutput() {
  const log = vi.spyOn(console, 'log').mockImplementation(() => {})
  onTestFinished(() => log.mockRestore())
  return log
}

test('a bundle that is not there or is not of these sources is built first, and one line says so', async () => {
  const log = watchOutput()
  const build = vi.fn(async () => '/new/main.js')
  expect(await provideBundle({ find: () => undefined, build })).toBe('/new/main.js')
  expect(build).toHaveBeenCalledTimes(1)
  expect(log.mock.calls).toEqual([[expect.stringContaining('Building the gateway')]])
})

test('one that is fresh is used without a word', async () => {
  const log = watchOutput()
  const [build, main] = [vi.fn(), pathToFileURL(join('/', 'bundle', 'main.js'))]
  expect(await provideBundle({ find: () => main, build })).toBe(fileURLToPath(main))
  expect(build).not.toHaveBeenCalled()
  expect(log).not.toHaveBeenCalled()
})

test('a crash run begins no round before there is a bundle', async () => {
  watchOutput()
  const signals = vi.spyOn(process, 'on').mockReturnValue(process)
  onTestFinished(() => signals.mockRestore())
  const built = Promise.withResolvers<string>()
  const begun = vi.fn()
  const read = readRounds({ rounds: '1', seed: '7', 'at-once': '1' }, () => built.promise)
  void read.then(begun)
  await new Promise(setImmediate)
  expect(begun).not.toHaveBeenCalled()
  built.resolve('/main.js')
  expect(await read).toMatchObject({ rounds: 1, seed: 7, atOnce: 1 })
})
