import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { COMPILE_CACHE } from '../../../gateway/test/support/compile-cache.ts'

export interface Ended {
  readonly code: number
  /** What it said, on either output. */
  readonly output: string
}

/** Runs one of the operator's commands as npm does, without a terminal. */
export function runCommand(
  name: string,
  env: Readonly<Record<string, string>>,
  args: readonly string[],
  /** What is piped into it. */
  input = '',
): Promise<Ended> {
  const entry = fileURLToPath(new URL(`../../src/${name}.ts`, import.meta.url))
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [entry, ...args],
      { env: { PATH: process.env.PATH, ...COMPILE_CACHE, ...env } },
      (error, stdout, stderr) =>
        resolve({ code: Number(error?.code ?? 0), output: `${stdout}${stderr}` }),
    )
    child.stdin?.end(input)
  })
}
