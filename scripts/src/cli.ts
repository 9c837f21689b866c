import { Console } from 'node:console'
import { realpathSync } from 'node:fs'
import { setPriority } from 'node:os'
import { type Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { type Closing, closeOnSignal } from 'gateway/close-on-signal.ts'
import { unwritableText } from 'gateway/store/open-reason.ts'

/** `1 order`, `2 orders`. */
export function counted(count: number, noun: string, nouns = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : nouns}`
}

/** Only npm scripts get the Node that "npm ci" brings; a bare `node` may be any. */
function requireNode24(): void {
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

/** What a command reads and writes, and what it asks of the process that it runs in. */
export interface Io {
  readonly in: Readable & { readonly isTTY?: boolean | undefined }
  readonly out: Output
  readonly err: Output
  /**
   * Aborts with this reason when a signal stops the command. A signal that comes before the call,
   * or a second time, ends the process.
   */
  readonly stopSignal: (reason?: Error) => AbortSignal
  /** Other programs get the processor first from now on. */
  readonly giveWay: () => void
  /** For what runs until a signal ends the process. */
  readonly closeOnSignal: (closing: Closing) => () => void
  /** Runs when the process ends, also by a second signal, which waits for nothing. */
  readonly onExit: (run: () => void) => void
}

/** Progress is drawn only on a terminal. */
export type Output = Writable & { readonly isTTY?: boolean | undefined }

/** What `run` of a command gets beside its arguments. */
export interface Call {
  readonly env: NodeJS.ProcessEnv
  readonly io: Io
  /** Writes to the outputs of `io`; the global `console` writes to those of the process. */
  readonly console: Console
}

interface Command<Options extends ParseArgsOptionsConfig> {
  /** What `--help` prints: how it is called, what it does. */
  readonly usage: string
  readonly options?: Options
  /** Whether words that are no options are taken; default false. */
  readonly allowPositionals?: boolean
  /** Said before the reason when it fails. */
  readonly failed?: string
  /** Returns the exit code. @throws UsageError, RefusedError */
  run(values: ValuesOf<Options>, positionals: readonly string[], call: Call): Promise<number>
}

/** @returns the exit code */
export type Run = (args: readonly string[], env: NodeJS.ProcessEnv, io: Io) => Promise<number>

/**
 * A command as a function. The exit code is what it returns, 1 when it fails and 2 when it is
 * called wrongly. `--help` prints the usage and does nothing.
 */
export function command<const Options extends ParseArgsOptionsConfig>(
  definition: Command<Options>,
): Run {
  return async (args, env, io) => {
    const console = new Console(asTyped(io.out, env), asTyped(io.err, env))
    if (args.includes('--help') || args.includes('-h')) {
      console.log(definition.usage)
      return 0
    }
    try {
      const { values, positionals } = parse(definition, args)
      return await definition.run(values, positionals, { env, io, console })
    } catch (error) {
      console.error(textOf(error, definition))
      return error instanceof UsageError ? 2 : 1
    }
  }
}

/** A release has no npm: its script `sluice` names itself, and texts then say `./sluice backup`. */
function asTyped(output: Output, { SLUICE }: NodeJS.ProcessEnv): Writable {
  if (SLUICE === undefined) return output
  return new Writable({
    decodeStrings: false,
    write(text: string, _encoding, done) {
      output.write(text.replaceAll(/npm run (?:--silent )?([a-z-]+)(?: --(?= ))?/g, `${SLUICE} $1`))
      // At once: what is kept here would be lost when the process exits.
      done()
    },
  })
}

/** Runs a command with the arguments of this process if Node was started with its module. */
export async function runAsProcess({ url }: ImportMeta, run: Run): Promise<void> {
  const [, started] = process.argv
  if (started === undefined || realpathSync(started) !== fileURLToPath(url)) return
  requireNode24()
  process.exitCode = await run(process.argv.slice(2), process.env, processIo())
}

/** Runs what is no module for others: `npm test`. */
export async function runCommand<const Options extends ParseArgsOptionsConfig>(
  definition: Command<Options>,
): Promise<void> {
  requireNode24()
  process.exitCode = await command(definition)(process.argv.slice(2), process.env, processIo())
}

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
const LOWEST_PRIORITY = 19

function processIo(): Io {
  return {
    in: process.stdin,
    out: process.stdout,
    err: process.stderr,
    stopSignal(reason) {
      const stop = new AbortController()
      for (const signal of STOP_SIGNALS) process.once(signal, () => stop.abort(reason))
      return stop.signal
    },
    giveWay: () => setPriority(LOWEST_PRIORITY),
    closeOnSignal: (closing) => closeOnSignal(closing).remove,
    onExit: (run) => process.once('exit', run),
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
  args: readonly string[],
) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals,
      ...(options === undefined ? {} : { options }),
    })
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

const REDRAW_EVERY_MS = 200
/** Back to the start of the line, which is then empty. */
const CLEAR_LINE = '\r\u001b[K'

/**
 * One line that says how far a command is. It is drawn again, and only on a terminal: under cron
 * nothing is written.
 * @param nowMs a monotonic clock
 */
export function progressLine(out: Pick<Output, 'isTTY' | 'write'>, nowMs: () => number) {
  let drawnMs = Number.NEGATIVE_INFINITY
  const draw = (text: string) => void (out.isTTY && out.write(`${CLEAR_LINE}${text}`))
  return {
    draw,
    /** Draws at most five times a second. */
    update(text: (nowMs: number) => string): void {
      if (nowMs() - drawnMs < REDRAW_EVERY_MS) return
      drawnMs = nowMs()
      draw(text(drawnMs))
    },
    /** Removes the line. */
    clear: () => draw(''),
  }
}
