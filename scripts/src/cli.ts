import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'

/** `1 order`, `2 orders`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** Only npm scripts get the Node that "npm ci" brings; a bare `node` may be any. */
export function requireNode24(): void {
  if (Number(process.versions.node.split('.')[0]) >= 24) return
  console.error(`This needs Node 24 and runs on ${process.version}. Start it with npm run.`)
  process.exit(1)
}

/** A sentence for the person at the terminal; the stack only of what nobody foresaw. */
export function startFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if ('code' in error && error.code === 'EADDRINUSE' && 'port' in error)
    return `Port ${error.port} is taken by another program: stop it, or choose another port.`
  if ('code' in error || error.name === 'ConfigError' || error instanceof RefusedError)
    return error.message
  return error.stack ?? error.message
}

/** What was asked for cannot be done, for a reason that the message tells. */
export class RefusedError extends Error {}

/** The command was not called as it should be: its usage is printed. */
export class UsageError extends Error {}

/**
 * Runs a command with the arguments of this process. The exit code is what it returns, 1 when it fails and 2 when it
 * is called wrongly.
 */
export async function runCommand<const Options extends ParseArgsOptionsConfig>(
  usage: string,
  options: Options,
  run: (
    values: ReturnType<typeof parseArgs<{ options: Options }>>['values'],
    positionals: readonly string[],
  ) => Promise<number>,
): Promise<void> {
  requireNode24()
  try {
    const { values, positionals } = parse(options)
    process.exitCode = await run(values, positionals)
  } catch (error) {
    console.error(error instanceof UsageError ? usage : startFailure(error))
    process.exitCode = error instanceof UsageError ? 2 : 1
  }
}

function parse<const Options extends ParseArgsOptionsConfig>(options: Options) {
  try {
    return parseArgs({ options, allowPositionals: true })
  } catch (cause) {
    throw new UsageError('unknown arguments', { cause })
  }
}
