import type { FastifyInstance } from 'fastify'
import { PARKED_MS } from '../nodes/pass-requests.ts'
import type { Time } from '../time.ts'
import type { OwnerWork } from './owner-work.ts'

/**
 * For a gateway that is alone on its PostgreSQL. Until it has the lock by which it alone sends, in
 * its first second, requests on the routes registered after this call wait for it, as they wait for
 * an owner in a group. After that, what needs the lock fails without it.
 */
export async function waitForLock(
  app: FastifyInstance,
  ownerWork: OwnerWork,
  time: Pick<Time, 'setTimeout'>,
): Promise<void> {
  const { promise: begun, resolve } = Promise.withResolvers<void>()
  let isOver = false
  const end = () => {
    isOver = true
    resolve()
  }
  await ownerWork.whenOwner(end)
  app.addHook('onReady', async () => void time.setTimeout(end, PARKED_MS).unref())
  app.addHook('preClose', async () => end())
  app.addHook('onRoute', (route) => {
    const { endpoint } = route.config ?? {}
    if (endpoint === undefined || endpoint.anywhere === true) return
    route.preHandler = [
      (_request, _reply, done) => {
        if (isOver) done()
        else void begun.then(() => done())
      },
      ...[route.preHandler ?? []].flat(),
    ]
  })
}
