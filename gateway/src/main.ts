import { once } from 'node:events'
import { buildApp, closeMs } from './app.ts'
import { closeOnSignal } from './close-on-signal.ts'
import { readConfig } from './config.ts'
import { LogOutput, loggerOptions } from './http/logging.ts'
import { unwritableText } from './store/open-reason.ts'
import { COMMIT, VERSION } from './version.ts'

if (Number(process.versions.node.split('.')[0]) < 24) {
  console.error(
    `Sluice needs Node 24; this is ${process.version}. "npm ci" brings it: use npm start.`,
  )
  process.exit(1)
}

const LOG = new LogOutput(1)
try {
  const config = readConfig(process.env)
  const draining = new AbortController()
  const app = await buildApp(config, {
    draining: draining.signal,
    endProcess(exitCode) {
      LOG.flushSync()
      process.exit(exitCode)
    },
    leave: (exitCode) => closing.stop(exitCode),
    logger: { ...loggerOptions(config.logLevel), stream: LOG },
  })
  const closing = closeOnSignal({
    drain: config.drainMs === 0 ? undefined : drain,
    close: async () => {
      await app.close()
      await LOG.flush()
    },
    withinMs: closeMs(config),
    log: app.log,
  })
  app.log.info({ version: VERSION, commit: COMMIT }, 'Sluice starts')
  if (import.meta.filename.endsWith('.ts'))
    app.log.info('running the TypeScript sources: "npm run build" makes the next start faster')
  // Once, before requests come: the start's garbage, and the room that young objects needed in it.
  globalThis.gc?.({ type: 'major', flavor: 'last-resort', execution: 'sync' })
  await app.listen(config.listen)

  async function drain(cutShort: AbortSignal): Promise<void> {
    draining.abort()
    await once(AbortSignal.any([cutShort, AbortSignal.timeout(config.drainMs)]), 'abort')
  }
} catch (error) {
  LOG.flushSync()
  console.error(startFailure(error))
  process.exit(1)
}

/** One sentence for the operator; the stack only of what nobody foresaw. */
function startFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const unwritable = unwritableText(error)
  if (unwritable !== undefined) return unwritable
  if ('code' in error && error.code === 'EADDRINUSE')
    return `${error.message}: another program uses this port; set PORT to a free one`
  if ('code' in error || error.name === 'ConfigError') return error.message
  return error.stack ?? error.message
}
