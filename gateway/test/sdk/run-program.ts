import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, cpSync, readdirSync, symlinkSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { onTestFinished, vi } from 'vitest'
import { tempFolder } from '../support/temp-folder.ts'
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
  const { command, path, options } = save(gate, file, then)
  return (await run(command, [path], options)).stdout
}

/**
 * Starts a program that keeps running, until the test ends; returns the first thing that it
 * printed.
 */
export async function startProgram(gate: Gate, file: string): Promise<string> {
  const { command, path, options } = save(gate, file, '')
  const child = spawn(command, [path], { ...options, stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill())
  const [printed] = await once(child.stdout, 'data')
  return `${printed}`.trim()
}

/** Loads a JavaScript program into this process, to set its clock. */
export function importProgram(gate: Gate, file: string): Promise<Record<string, unknown>> {
  for (const [name, value] of Object.entries(environmentOf(gate))) vi.stubEnv(name, value)
  onTestFinished(() => void vi.unstubAllEnvs())
  return import(save(gate, file, '').path)
}

/**
 * Copies all programs into a folder of the test, so that `then` and what Python compiles stay out
 * of the original.
 */
function save(gate: Gate, file: string, then: string) {
  const command = commands.get(extname(file))
  if (command === undefined) throw new Error(`Nothing runs "${file}"`)
  const folder = tempFolder()
  cpSync(botsFolder, folder, { recursive: true })
  symlinkSync(nodeModules, join(folder, 'node_modules'))
  const path = join(folder, file)
  if (then !== '') appendFileSync(path, `${then}\n`)
  const python = command === 'python3' ? pythonPath() : {}
  const env = { ...process.env, ...python, ...environmentOf(gate), PORT: '0' }
  return { command, path, options: { cwd: folder, env } }
}

const environmentOf = ({ url, bot }: Gate) => ({
  SLUICE_URL: url,
  SLUICE_CLIENT_ID: bot.clientId,
  SLUICE_CLIENT_SECRET: bot.clientSecret,
})

let hasCcxt: boolean | undefined
/** Where Python finds a stand-in for ccxt when it is not installed. */
function pythonPath() {
  hasCcxt ??= spawnSync('python3', ['-c', 'import ccxt']).status === 0
  return hasCcxt ? {} : { PYTHONPATH: fileURLToPath(new URL('python', import.meta.url)) }
}
