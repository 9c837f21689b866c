import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type BotSnippet, botSnippets } from 'schema'
import { onTestFinished, vi } from 'vitest'
import { tempFolder } from '../support/temp-folder.ts'
import type { Sluice } from './sluice.ts'

const nodeModules = fileURLToPath(new URL('../../../node_modules', import.meta.url))
const run = promisify(execFile)
const commands = { curl: 'sh', javascript: process.execPath, python: 'python3' } as const

type Gate = Pick<Sluice, 'url' | 'bot'>

/**
 * Runs a program of the page as a reader would who has saved them all; `then` is what follows it, in its language.
 * Gives what it printed. @throws with what it printed when it fails
 */
export async function runSnippet(gate: Gate, id: string, then = ''): Promise<string> {
  const { command, path, options } = save(gate, id, then)
  return (await run(command, [path], options)).stdout
}

/** Starts a program of the page that stays, until the test ends; gives the first thing that it printed. */
export async function startSnippet(gate: Gate, id: string): Promise<string> {
  const { command, path, options } = save(gate, id, '')
  const child = spawn(command, [path], { ...options, stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill())
  const [printed] = await once(child.stdout, 'data')
  return `${printed}`.trim()
}

/** Loads a JavaScript program of the page into this process, to set its clock. */
export function importSnippet(gate: Gate, id: string): Promise<Record<string, unknown>> {
  vi.stubEnv('SLUICE_CLIENT_ID', gate.bot.clientId)
  vi.stubEnv('SLUICE_CLIENT_SECRET', gate.bot.clientSecret)
  onTestFinished(() => void vi.unstubAllEnvs())
  return import(save(gate, id, '').path)
}

function save({ url, bot }: Gate, id: string, then: string) {
  const folder = tempFolder()
  symlinkSync(nodeModules, join(folder, 'node_modules'))
  const programs = botSnippets({ gatewayUrl: url })
  for (const { file, code } of programs) writeFileSync(join(folder, file), `${code}\n`)
  const { file, code, language } = programNamed(programs, id)
  const path = join(folder, file)
  writeFileSync(path, `${code}\n${then}\n`)
  const secrets = { SLUICE_CLIENT_ID: bot.clientId, SLUICE_CLIENT_SECRET: bot.clientSecret }
  const python = language === 'python' ? pythonPath() : {}
  const options = { cwd: folder, env: { ...process.env, ...python, ...secrets, PORT: '0' } }
  return { command: commands[language], path, options }
}

let hasCcxt: boolean | undefined
/** Where Python finds a stand-in for ccxt when it is not installed. */
function pythonPath() {
  hasCcxt ??= spawnSync('python3', ['-c', 'import ccxt']).status === 0
  return hasCcxt ? {} : { PYTHONPATH: fileURLToPath(new URL('python', import.meta.url)) }
}

function programNamed(programs: readonly BotSnippet[], id: string): BotSnippet {
  const wanted = programs.find((program) => program.id === id)
  if (wanted === undefined) throw new Error(`No program is called "${id}"`)
  return wanted
}
