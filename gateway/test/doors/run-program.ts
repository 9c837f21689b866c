import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { onTestFinished, vi } from 'vitest'
import type { Sluice } from './sluice.ts'

const nodeModules = fileURLToPath(new URL('../../../node_modules', import.meta.url))
const run = promisify(execFile)
const commands = new Map([
  ['.sh', 'sh'],
  ['.mjs', process.execPath],
  ['.py', 'python3'],
])

/** The folder of the programs for bot authors. */
export const botsFolder = fileURLToPath(new URL('../../../docs/bots', import.meta.url))
/** The file name of each. */
export const botPrograms = readdirSync(botsFolder).filter((file) => commands.has(extname(file)))

type Gate = Pick<Sluice, 'url' | 'bot'>

/**
 * Runs a program of `docs/bots` as a reader would who has saved them all; `then` follows it, in its
 * language. Returns what it printed. @throws with what it printed when it fails
 */
export async function runProgram(gate: Gate, file: string, then = ''): Promise<string> {
  const { command, path, options, remove } = save(gate, file, then)
  return (await run(command, [path], options).finally(remove)).stdout
}

type OnEnd = (end: () => void) => void

/** A program that keeps running, until `onEnd`; returns the first thing that it printed. */
export async function startProgram(
  gate: Gate,
  file: string,
  onEnd: OnEnd = onTestFinished,
): Promise<string> {
  const [printed] = await once(spawnProgram(gate, file, onEnd).stdout, 'data')
  return `${printed}`.trim()
}

/** A program that keeps running until the test is over; returns what it has printed so far. */
export function followProgram(gate: Gate, file: string): () => string {
  let printed = ''
  const { stdout } = spawnProgram(gate, file, onTestFinished)
  stdout.on('data', (text: Buffer) => {
    printed += text
  })
  return () => printed
}

function spawnProgram(gate: Gate, file: string, onEnd: OnEnd) {
  const { command, path, options, remove } = save(gate, file, '')
  const child = spawn(command, [path], { ...options, stdio: ['ignore', 'pipe', 'inherit'] })
  onEnd(() => {
    child.kill()
    remove()
  })
  return child
}

/** A program that keeps running and printing. */
export function watchProgram(gate: Gate, file: string, onText: (text: string) => void) {
  const { command, path, options, remove } = save(gate, file, '')
  const child = spawn(command, [path], { ...options, stdio: ['ignore', 'pipe', 'inherit'] })
  child.stdout.on('data', (text) => onText(`${text}`))
  const end = () => {
    child.kill()
    remove()
  }
  return { end }
}

/** Loads a JavaScript program into this process, where its clock can be set. */
export async function importProgram(
  gate: Gate,
  file: string,
  then = '',
): Promise<Record<string, unknown>> {
  for (const [name, value] of Object.entries(environmentOf(gate))) vi.stubEnv(name, value)
  onTestFinished(() => void vi.unstubAllEnvs())
  const { path, remove } = save(gate, file, then)
  return import(path).finally(remove)
}

/**
 * Copies all programs into a folder, so that `then` and what Python compiles stay out of the
 * original.
 */
function save(gate: Gate, file: string, then: string) {
  const command = commands.get(extname(file))
  if (command === undefined) throw new Error(`Nothing runs "${file}"`)
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bots-'))
  cpSync(botsFolder, folder, { recursive: true })
  symlinkSync(nodeModules, join(folder, 'node_modules'))
  const path = join(folder, file)
  if (then !== '') appendFileSync(path, `${then}\n`)
  const python = command === 'python3' ? pythonPath() : {}
  const env = { ...process.env, ...python, ...environmentOf(gate), PORT: '0' }
  const remove = () => rmSync(folder, { recursive: true, force: true })
  return { command, path, options: { cwd: folder, env }, remove }
}

const environmentOf = ({ url, bot }: Gate) => ({
  ...{ SLUICE_URL: url, SLUICE_CLIENT_ID: bot.clientId, SLUICE_CLIENT_SECRET: bot.clientSecret },
})

let hasCcxt: boolean | undefined
/** Where Python finds a stand-in for ccxt when it is not installed. */
function pythonPath() {
  hasCcxt ??= hasModules(['ccxt'])
  return hasCcxt ? {} : { PYTHONPATH: fileURLToPath(new URL('python', import.meta.url)) }
}

/** Whether Python is installed, and these modules of it; they are not loaded. */
export function hasModules(names: readonly string[]): boolean {
  const find = 'import sys\nfrom importlib.util import find_spec\n'
  const check = `${find}sys.exit(not all(find_spec(name) for name in sys.argv[1:]))`
  return spawnSync('python3', ['-c', check, ...names]).status === 0
}
