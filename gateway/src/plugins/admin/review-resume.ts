import { EXCHANGES, type Stop } from 'schema'
import type { Review } from '../../http/approvable.ts'
import { isOfClient, nameOf, type StopScope } from '../../orders/stop-work.ts'
import type { Stops } from '../../orders/stops.ts'

/**
 * What the end of a stop would change. It always needs an approval where one is demanded: a stop
 * that begins at this moment must not end unseen.
 * @param subject the name of the client, for one of a client
 */
export async function reviewResume(
  stops: Pick<Stops, 'get'>,
  scope: StopScope,
  subject: string,
  reason?: string,
): Promise<Review> {
  const stopped = Object.fromEntries(
    await Promise.all(
      endedWith(scope).map(async (each) => [nameOf(each), inForce(await stops.get(each))] as const),
    ),
  )
  return {
    subjectKind: isOfClient(scope) ? 'client' : 'exchange',
    subject,
    before: { stopped },
    after: { stopped: null, ...(reason === undefined ? {} : { reason }) },
  }
}

/** The stops that may keep something from running which would run again. */
function endedWith(scope: StopScope): readonly StopScope[] {
  if (isOfClient(scope)) return [scope]
  if (scope !== 'everything') return [scope, 'everything']
  return [scope, ...EXCHANGES.map((exchange) => ({ exchange }))]
}

function inForce(stop: Stop | null): Pick<Stop, 'reason' | 'startedAt'> | null {
  if (stop === null || stop.resumedAt !== null) return null
  const { reason, startedAt } = stop
  return { reason, startedAt }
}
