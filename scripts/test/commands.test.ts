import { readFileSync } from 'node:fs'
import { expect, test, vi } from 'vitest'
import { runCommand } from './support/run-command.ts'

// Several processes start in each test, on machines that do other things as well.
vi.setConfig({ testTimeout: 120_000 })

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  scripts: Record<string, string>
}

/** Name and source of every npm script that is a program of ours. */
const commands = Object.entries(scripts).flatMap(([name, line]) => {
  const [, source] = /scripts\/src\/([a-z-]+)\.ts$/.exec(line) ?? []
  return source === undefined ? [] : [{ name, source }]
})

/**
 * The command alone in an empty environment: what asks for help starts nothing and needs no
 * setting.
 */
const run = (source: string, ...args: string[]) => runCommand(source, {}, args)

test('every command is covered', () => {
  expect(commands.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['demo', 'admin', 'backup', 'restore', 'doctor', 'paper-exchange']),
  )
})

test.each(commands)('$name prints its usage, and does nothing else', async (command) => {
  const { code, output } = await run(command.source, '--help')
  expect(code).toBe(0)
  expect(output).toMatch(/^Usage:\n {2}npm /)
  expect(output).toContain(command.name)
})

// What only Vitest provides was asked for while its modules were loaded.
test('fuzz runs without Vitest', async () => {
  const { code, output } = await run('fuzz', '--only', 'csv', '--inputs', '50', '--seed', '7')
  expect(output).toContain('0 findings, seed 7')
  expect(code).toBe(0)
})

test.each([
  ['demo', '--nonsense', "Unknown option '--nonsense'"],
  ['demo', '--data', "Option '--data <value>' argument missing"],
  ['demo', '--paper-port=eighty', '--paper-port is "eighty"; it must be a number from 0 to 65535'],
  ['fuzz', '--inputs=0', '--inputs is "0"; it must be a number from 1 to 1000000000'],
  ['crash', '--rounds=0', '--rounds is "0"; it must be a number from 1 to 1000000'],
  ['bench', 'speed', 'There is no benchmark "speed"'],
  ['bench', '--nonsense', "Unknown option '--nonsense'"],
  ['env-example', 'all', "Unexpected argument 'all'"],
])('%s %s: one line says what is wrong', async (source, arg, message) => {
  expect(await run(source, arg)).toEqual({
    code: 2,
    output: `${message}. See --help\n`,
  })
})
