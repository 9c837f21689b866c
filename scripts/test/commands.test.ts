import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { COMPILE_CACHE } from '../../gateway/test/support/compile-cache.ts'
import { runCommand } from './support/run-command.ts'

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  scripts: Record<string, string>
}

/** Every npm script that is a program of ours, and what only systemd starts. */
const commands = [
  ...Object.entries(scripts).flatMap(([name, line]) => {
    const [, source] = /(scripts\/src\/[a-z-]+)\.ts$/.exec(line) ?? []
    return source === undefined ? [] : [{ name, line }]
  }),
  ...['alert-failed', 'wait-until-ready'].map((name) => ({
    ...{ name, line: `node scripts/src/${name}.ts` },
  })),
]

/** A command as npm starts it, in an environment without any setting. */
async function start(line: string, ...args: string[]) {
  const PATH = `node_modules/.bin:${process.env.PATH}`
  const child = spawn('sh', ['-c', `${line} "$@"`, 'sh', ...args], {
    env: { PATH, ...COMPILE_CACHE },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [out, err, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  return { code, out, err }
}

test('every command is covered', () => {
  expect(commands.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['demo', 'admin', 'backup', 'restore', 'doctor', 'paper-exchange']),
  )
})

// What asks for help starts nothing and needs no setting.
test.each(commands)('$name starts, prints its usage, and does nothing else', async (command) => {
  const { code, out, err } = await start(command.line, '--help')
  expect(code, err).toBe(0)
  expect(out).toMatch(/^Usage:\n {2}(npm|node) /)
  expect(out).toContain(command.name)
})

test('a process ends with the code of its command, and what is wrong is on the other output', async () => {
  expect(await start(scripts['env-example'] ?? '', 'all')).toEqual({
    ...{ code: 2, out: '', err: "Unexpected argument 'all'. See --help\n" },
  })
})

// `npm test` itself is a program, "sbom" takes the name of a workspace, and "verify-audit" imports
// nothing, so that a copy of it works alone.
const modules = commands
  .map(({ name, line }) => ({ name, source: /src\/([a-z-]+)\.ts$/.exec(line)?.[1] ?? '' }))
  .filter(({ name }) => !['test', 'sbom', 'verify-audit'].includes(name))
test.each(modules)('$name does not know an option of this name', async ({ source }) => {
  expect(await runCommand(source, {}, ['--nonsense'])).toEqual({
    ...{ code: 2, output: "Unknown option '--nonsense'. See --help\n" },
  })
})

test.each(modules)('$name reads and writes only what it is given', ({ source }) => {
  const text = readFileSync(`scripts/src/${source}.ts`, 'utf8')
  expect(text).not.toMatch(/\bprocess\.(env|argv|stdin|stdout|stderr|on|once|exit)/)
  expect(text).toMatch(/\nawait runAsProcess\(import\.meta, run\)\n$/)
})

// What only Vitest provides was asked for while its modules were loaded.
test('fuzz runs without Vitest', async () => {
  const args = ['--only', 'csv', '--inputs', '50', '--seed', '7']
  const { code, out, err } = await start(scripts.fuzz ?? '', ...args)
  expect(code, err).toBe(0)
  expect(out).toContain('0 findings, seed 7')
})

test.each([
  ['demo', '--data', "Option '--data <value>' argument missing"],
  ['demo', '--paper-port=eighty', '--paper-port is "eighty"; it must be a number from 0 to 65535'],
  ['fuzz', '--inputs=0', '--inputs is "0"; it must be a number from 1 to 1000000000'],
  ['crash', '--rounds=0', '--rounds is "0"; it must be a number from 1 to 1000000'],
  ['bench', 'speed', 'There is no benchmark "speed"'],
])('%s %s: one line says what is wrong', async (source, arg, message) => {
  expect(await runCommand(source, {}, [arg])).toEqual({
    ...{ code: 2, output: `${message}. See --help\n` },
  })
})

test.each([
  ['rotate-key', '--end-tokens', 'npm run rotate-key -- --finish --end-tokens'],
  ['migrate-store', 'one', 'npm run migrate-store -- FROM TO'],
  ['admin', 'remove', 'npm run admin -- reset-password --email E'],
])('%s %s: a call of no known form prints the usage', async (source, arg, usage) => {
  expect(await runCommand(source, {}, [arg])).toEqual({
    ...{ code: 2, output: expect.stringContaining(usage) },
  })
})
