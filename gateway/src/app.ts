import type { FastifyInstance } from 'fastify'
import type { AppOptions } from './app/app-options.ts'
import { createParts } from './app/create-parts.ts'
import { closeInOrder, readinessChecks, watchGroup } from './app/lifecycle.ts'
import { tryToBecomeOwner } from './app/owner.ts'
import { registerPlugins } from './app/register-plugins.ts'
import type { Config } from './config.ts'
import { healthRoutes } from './http/health.ts'
import { startTasks } from './operations/regular-tasks.ts'
import { warnOfPlainHttp, warnOfRate } from './operations/settings-to-change.ts'
import { FeedTrials } from './operations/try-feeds.ts'

export type { AppOptions } from './app/app-options.ts'
export { closeMs } from './app/lifecycle.ts'

/**
 * The whole gateway, ready to listen: creates the parts, registers the plugins in order, closes
 * both.
 * @throws with a sentence for the operator when the store or the master key cannot be used
 */
export async function buildApp(config: Config, options: AppOptions = {}): Promise<FastifyInstance> {
  const parts = await createParts(config, options)
  const { app, exchanges } = parts
  const closing = new AbortController()
  await registerPlugins(parts)
  const { draining = closing.signal } = options
  const stopping = AbortSignal.any([closing.signal, draining])
  healthRoutes(app, {
    checks: readinessChecks(parts, stopping),
    warnings: parts.proxyWarnings,
    time: parts.time,
  })
  draining.addEventListener('abort', () => {
    parts.self.leave()
    parts.openConnections.leave()
    parts.openStreams.leave(config.drainMs)
  })
  let stopWatching = () => {}
  app.addHook('onReady', async () => {
    parts.self.start()
    stopWatching = watchGroup(parts)
  })
  app.addHook('onListen', async () => {
    for (const sentence of config.misspelt) app.log.warn(sentence)
    warnOfRate(app.log, config.lane.ratePerSecond)
    warnOfPlainHttp(app.log, config)
    await parts.ownerWork.whenOwner(() => void exchanges.measureClocks())
  })
  let stopTasks = () => {}
  await parts.ownerWork.whenOwner(() => {
    stopTasks = startTasks({
      ...{ stores: parts.stores, upstreams: exchanges.upstreams, time: parts.time },
      ...{ logRetentionMs: config.logRetentionMs, log: app.log },
      feedTrials: new FeedTrials({
        isOn: config.accountStreams,
        ...{ feeds: parts.streams.feeds, events: parts.events, time: parts.time },
      }),
      ...{ housekeepingTimes: options.housekeeping, keyExpiryTimes: options.keyExpiry },
      pageCheckTimes: options.pageCheck,
    })
  })
  if (parts.ownership !== undefined)
    await parts.ownerWork.whenOwner(() => parts.watching.measured.nodes.tookOver())
  closeInOrder(parts, closing, () => {
    stopTasks()
    stopWatching()
  })
  app.addHook('onReady', async () =>
    tryToBecomeOwner(parts.ownership, parts.ownerWork, app.log, options),
  )
  return app
}
