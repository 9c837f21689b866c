import type { FastifyInstance, InjectOptions } from 'fastify'
import {
  type Client,
  createClient,
  type Endpoint,
  EXCHANGES,
  listClients,
  login,
  saveApiKey,
} from 'schema'
import type { DemoSecrets } from './secrets.ts'

export const DEMO_ADMIN = 'admin@sluice.demo'
export const DEMO_CLIENT = 'demo-bot'

/**
 * Makes the demo's client and stores its keys, through the calls that the console makes. Returns
 * the secret of a client that was made now.
 * @throws when the data folder is of another demo whose secrets are gone
 */
export async function seed(
  app: FastifyInstance,
  secrets: DemoSecrets,
): Promise<string | undefined> {
  const call = async (endpoint: Endpoint, payload?: InjectOptions['payload'], token = '') => {
    const response = await app.inject({
      method: endpoint.method,
      url: endpoint.path,
      ...(payload === undefined ? {} : { payload }),
      headers: token === '' ? {} : { authorization: `Bearer ${token}` },
    })
    if (response.statusCode >= 400)
      throw new Error(
        `${endpoint.summary}: ${response.json().message}. If the data folder belongs to an older demo, remove it.`,
      )
    return response.json()
  }

  const signedIn = await call(login, { email: DEMO_ADMIN, password: secrets.adminPassword })
  const clients: Client[] = await call(listClients, undefined, signedIn.token)
  const known = clients.some(({ clientId }) => clientId === DEMO_CLIENT)
  const created = known
    ? undefined
    : await call(
        createClient,
        { clientId: DEMO_CLIENT, description: 'Created by the demo; trades on the paper exchange' },
        signedIn.token,
      )
  if (known && secrets.clientSecret === undefined)
    throw new Error(
      `The secret of "${DEMO_CLIENT}" is lost. Remove the data folder and start again.`,
    )
  for (const exchange of known ? [] : EXCHANGES) {
    await call(
      saveApiKey,
      { clientId: DEMO_CLIENT, exchange, ...secrets.keys[exchange], note: 'paper account' },
      signedIn.token,
    )
  }
  return created?.clientSecret
}
