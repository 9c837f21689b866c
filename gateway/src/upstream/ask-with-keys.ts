import type { ExchangeKeys, UpstreamCall } from '../exchanges/exchange.ts'
import type { Verdict } from '../exchanges/protocol/verdict.ts'
import type { Lane } from '../lane/lane-types.ts'
import type { JudgedResponse } from './judged-response.ts'
import type { RequestContext } from './request-context.ts'
import { type SignAndSendDeps, signAndSend } from './sign-and-send.ts'

export interface AskWithKeysDeps extends SignAndSendDeps {
  readonly lane: Pick<Lane<JudgedResponse>, 'submit'>
}

/**
 * Sends a read that is signed with keys that are not stored. What comes of it does not count for
 * the keys that the client has: neither for their breaker nor for their alerts.
 * @throws the errors of the lane and the transport
 */
export async function askWithKeys(
  deps: AskWithKeysDeps,
  { requestId, method, endpoint, clientId, signal }: RequestContext,
  call: UpstreamCall,
  keys: ExchangeKeys,
): Promise<Verdict> {
  const { response } = await deps.lane.submit({
    clientId,
    jobClass: 'account',
    account: `new keys of ${clientId}`,
    isSigned: true,
    label: { requestId, method, endpoint },
    ...(signal === undefined ? {} : { signal }),
    run: (slot) =>
      signAndSend(deps, {
        call,
        context: undefined,
        keys: { rowId: null, keys },
        slot,
        raw: false,
      }),
  })
  return response.verdict
}
