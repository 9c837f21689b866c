import { cancelAllOf } from '../exchanges/account-wide.ts'
import type { UpstreamCall, UpstreamResponse } from '../exchanges/exchange.ts'
import { JSON_TYPE } from '../upstream/stored-response.ts'
import { toFailed } from './cancel-working-orders.ts'
import { CancelIncompleteError } from './errors.ts'
import type { OrderRequest } from './order-request.ts'
import { leftOf, toOwnCancel } from './own-cancel-run.ts'
import type { OwnCancels } from './own-cancels.ts'

/**
 * Does what a client means by an exchange's own cancel of everything where other clients have the
 * same key: cancels the client's orders that the call would reach, each by its id.
 * @param nowMs exchange time
 * @returns the response that the exchange would give; undefined for any other call, and for one
 * that does not say clearly what it cancels, or of whose orders the gateway does not know enough:
 * then nothing was done
 * @throws CancelIncompleteError when some may still be open, and the response could not say so
 */
export async function cancelInstead(
  ownCancels: Pick<OwnCancels, 'start' | 'wait' | 'keep' | 'isUnclear'>,
  { clientRef, clientId, exchange }: OrderRequest,
  call: UpstreamCall,
  { nowMs, signal }: { readonly nowMs: () => number; readonly signal?: AbortSignal | undefined },
): Promise<UpstreamResponse | undefined> {
  const all = cancelAllOf(call)
  if (all === undefined) return undefined
  const { name, scope, namesFailed } = all
  const client = { clientRef, clientId }
  if (ownCancels.isUnclear(client, exchange, scope)) return undefined
  const run = ownCancels.start(client, { name, symbol: null, exchange, scope })
  await ownCancels.wait(run, signal)
  // In the account of the keys that the call is signed with, the exchange would not reach these.
  const left = leftOf(run).filter(({ isElsewhere }) => !isElsewhere)
  const failed = left.map(toFailed)
  const isDone = run.completedAtMs !== null
  if (!isDone || (failed.length > 0 && !namesFailed)) {
    const count = isDone ? failed.length : run.orders.size - run.cancelled.size
    // The caller gets the address of the status: it must be there after a restart too.
    await ownCancels.keep(run)
    throw new CancelIncompleteError(count, toOwnCancel(run).location)
  }
  const cancelled = [...run.cancelled].flatMap((id) => run.orders.get(id) ?? [])
  const body = Buffer.from(JSON.stringify(all.responseFor({ cancelled, failed }, nowMs())))
  return { status: 200, headers: { 'content-type': JSON_TYPE }, body, upstreamMs: 0 }
}
