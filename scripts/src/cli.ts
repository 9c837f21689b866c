import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { unwritableText } from 'gateway/store/open-reason.ts'

/** `1 order`, `2 orders`. */
export function counted(count: number, noun: string, nouns = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : nouns}`
}

/** Only npm scripts get the Node that "npm ci" brings; a bare `node` may be any. */
export function requireNode24(): void {
  if (Number(process.versions.node.split('.')[0]) >= 24) return
  console.error(`This command needs Node 24 but runs on ${process.version}. Start it with npm run.`)
  process.exit(1)
}

/** A sentence for the person at the terminal; the stack only of what nobody foresaw. */
export function startFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const unwritable = unwritableText(error)
  if (unwritable !== undefined) return unwritable
  if ('code' in error && error.code === 'EADDRINUSE' && 'port' in error)
    return `Port ${error.port} is taken by another program: stop it, or choose another port.`
  if ('code' in error || error.name === 'ConfigError' || error instanceof RefusedError)
    return error.message
  return error.stack ?? error.message
}

/** What was asked for cannot be done; the message has the reason. */
export class RefusedError extends Error {}

/** The command was not called as it should be: its message is printed, or without one the usage. */
export class UsageError extends Error {}

type ValuesOf<Options extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ options: Options }>
>['values']

export interface Command<Options extends ParseArgsOptionsConfig> {
  /** What `--help` prints: how it is called, what it does. */
  readonly usage: string
  readonly options?: Options
  /** Whether words that are no options are taken; default false. */
  readonly allowPositionals?: boolean
  /** Said before the reason when it fails. */
  readonly failed?: string
  /** Returns the exit code. @throws UsageError, RefusedError */
  run(values: ValuesOf<Options>, positionals: readonly string[]): Promise<number>
}

/**
 * Runs a command with the arguments of this process. The exit code is what it returns, 1 when it
 * fails and 2 when it is called wrongly. `--help` prints the usage and does nothing.
 */
export async function runCommand<const Options extends ParseArgsOptionsConfig>(
  command: Command<Options>,
): Promise<void> {
  requireNode24()
  const args = process.argv.slice(2)
  if (args.includes('--help') || args.includes('-h')) return console.log(command.usage)
  try {
    const { values, positionals } = parse(command, args)
    process.exitCode = await command.run(values, positionals)
  } catch (error) {
    console.error(textOf(error, command))
    process.exitCode = error instanceof UsageError ? 2 : 1
  }
}

/** The whole number that an option holds. @throws UsageError when it holds something else */
export function wholeNumber(option: string, text: string, min: number, max: number): number {
  const value = Number(text)
  if (/^\d{1,15}$/.test(text) && value >= min && value <= max) return value
  throw new UsageError(`--${option} is "${text}"; it must be a number from ${min} to ${max}`)
}

function parse<const Options extends ParseArgsOptionsConfig>(
  { options, allowPositionals = false }: Command<Options>,
  args: string[],
) {
  try {
    return parseArgs({ args, allowPositionals, ...(options === undefined ? {} : { options }) })
  } catch (cause) {
    // After its first sentence Node's message continues about quoting.
    const [sentence] = startFailure(cause).split(/\.?\n|\. /)
    throw new UsageError(sentence, { cause })
  }
}

function textOf(error: unknown, { usage, failed }: Command<ParseArgsOptionsConfig>): string {
  if (error instanceof UsageError)
    return error.message === '' ? usage : `${error.message}. See --help`
  return failed === undefined ? startFailure(error) : `\n${failed} ${startFailure(error)}`
}
