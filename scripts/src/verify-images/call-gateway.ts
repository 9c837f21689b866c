import type { Endpoint, ResponseOf } from 'schema'
import type { World } from './open-world.ts'

/** @throws with the gateway's own sentence when it refuses */
export async function callGateway<E extends Endpoint>(
  { gatewayUrl }: World,
  endpoint: E,
  { token, body }: { readonly token?: string; readonly body: unknown },
): Promise<ResponseOf<E>> {
  const answer = await fetch(gatewayUrl + endpoint.path, {
    method: endpoint.method,
    headers: {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${endpoint.summary}: ${answer.status} ${text}`)
  return JSON.parse(text) as ResponseOf<E>
}
