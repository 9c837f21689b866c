const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'] as const
/**
 * A stop often arrives twice: Ctrl-C, or a stop of the process group, reaches npm and this process,
 * and npm passes its copy on. Within this time a second signal is a copy of the first.
 */
const SAME_STOP_MS = 2_000

export interface Closing {
  /**
   * What comes before `close` after a signal. A second signal aborts the argument, and so does an
   * error that nobody caught; `close` follows at once.
   */
  readonly drain?: ((cutShort: AbortSignal) => Promise<void>) | undefined
  /** Closes everything that the process has open. It is called once. */
  readonly close: () => Promise<void>
  /** When `close` takes longer, the process exits without waiting for it. */
  readonly withinMs: number
  /** Errors go to stderr when absent. */
  readonly log?: ClosingLog
}

interface ClosingLog {
  info(details: { signal: NodeJS.Signals }, text: string): void
  fatal(details: { err: unknown }, text: string): void
}

const stderrLog: ClosingLog = {
  info() {},
  fatal: ({ err }, text) => console.error(`${text}:`, err),
}

interface ClosesOnSignal {
  /** Stops as after a signal, with this exit code. A signal that then comes is the first one. */
  stop(exitCode: number): void
  /** Removes the handlers, for a process that continues without them. */
  remove(): void
}

/**
 * Closes once and ends the process: with exit code 0 on a signal, with 1 on an error that nobody
 * caught. A second signal ends the drain if there is one, and otherwise the process, unless it is a
 * copy of the first.
 */
export function closeOnSignal({
  drain,
  close,
  withinMs,
  log = stderrLog,
}: Closing): ClosesOnSignal {
  /** When the first signal came, or when a second one ended the drain. */
  let signalledAtMs: number | undefined
  let isStopping = false
  let isClosing = false
  let exitCode = 0
  const cutShort = new AbortController()

  function onSignal(signal: NodeJS.Signals): void {
    const nowMs = performance.now()
    if (signalledAtMs === undefined) {
      log.info({ signal }, 'closing')
      signalledAtMs = nowMs
      if (!isStopping) void stop(drain)
    } else if (nowMs - signalledAtMs >= SAME_STOP_MS) {
      if (isClosing) endAtOnce(new Error(`A second signal, ${signal}, arrived while closing`))
      signalledAtMs = nowMs
      cutShort.abort()
    }
  }

  function onError(err: unknown): void {
    exitCode = 1
    log.fatal({ err }, isStopping ? 'while closing' : 'closing after an error')
    if (isStopping) cutShort.abort()
    else void stop()
  }

  async function stop(first?: Closing['drain']): Promise<void> {
    isStopping = true
    try {
      await first?.(cutShort.signal)
      isClosing = true
      setTimeout(() => endAtOnce(new Error(`Closing took over ${withinMs} ms`)), withinMs)
      await close()
    } catch (err) {
      endAtOnce(err)
    }
    process.exit(exitCode)
  }

  function endAtOnce(err: unknown): never {
    log.fatal({ err }, 'ended before everything was closed')
    process.exit(1)
  }

  for (const signal of STOP_SIGNALS) process.on(signal, onSignal)
  process.on('uncaughtException', onError)
  process.on('unhandledRejection', onError)
  return {
    stop(code) {
      if (isStopping) return
      exitCode = code
      void stop(drain)
    },
    remove() {
      for (const signal of STOP_SIGNALS) process.off(signal, onSignal)
      process.off('uncaughtException', onError)
      process.off('unhandledRejection', onError)
    },
  }
}
