import { signInAttemptOf } from '../http/client-budget.ts'
import { leaveOutRowsOfOthers } from '../http/handlers.ts'
import { serveApiDocs } from '../http/openapi.ts'
import { wasPassedOn } from '../http/request-origin.ts'
import { admin } from '../plugins/admin/index.ts'
import { approvals } from '../plugins/approvals/index.ts'
import { audit } from '../plugins/audit/index.ts'
import { auth } from '../plugins/auth/index.ts'
import { dropIn } from '../plugins/drop-in/index.ts'
import { logs } from '../plugins/logs/index.ts'
import { metrics } from '../plugins/metrics/index.ts'
import { operator } from '../plugins/operator/index.ts'
import { people } from '../plugins/people/index.ts'
import { proxyBg } from '../plugins/proxy-bg/index.ts'
import { proxyMx } from '../plugins/proxy-mx/index.ts'
import { requests } from '../plugins/requests/index.ts'
import { stats } from '../plugins/stats/index.ts'
import { streams } from '../plugins/streams/index.ts'
import type { Parts } from './create-parts.ts'
import { waitForLock } from './owner.ts'

/**
 * Registers the plugins. `auth`, `operator` and `logs` work on the routes that are registered after
 * them.
 */
export async function registerPlugins(parts: Parts): Promise<void> {
  const { app, config } = parts
  serveApiDocs(app, config.apiDocs)
  parts.openStreams.watch(app)
  // Before `auth`, whose routes are for the owner too.
  parts.group?.passRequests()
  if (parts.group === undefined && parts.ownership !== undefined)
    await waitForLock(app, parts.ownerWork, parts.time)
  await app.register(auth, parts)
  await app.register(logs, parts)
  alertOnSignIns(parts)
  await app.register(metrics, parts)
  await app.register(approvals, parts)
  await app.register(admin, parts)
  await app.register(people, parts)
  await app.register(audit, parts)
  await app.register(operator, parts)
  await app.register(stats, parts)
  leaveOutRowsOfOthers(app, parts.orders.owners)
  await app.register(proxyMx, parts)
  await app.register(proxyBg, parts)
  await app.register(dropIn, parts)
  await app.register(streams, parts)
  await app.register(requests, parts)
}

/** Counts sign-ins for the alerts, and starts them. */
function alertOnSignIns({ app, ownerWork, watching: { alerts } }: Parts): void {
  app.addHook('onResponse', (request, reply, done) => {
    const attempt = signInAttemptOf(request, reply)
    if (attempt !== undefined && !wasPassedOn(request)) alerts.signInAttempted(attempt, request.ip)
    done()
  })
  app.addHook('onReady', () => ownerWork.whenOwner((fence) => alerts.start(fence)))
}
