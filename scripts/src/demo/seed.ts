import type { FastifyInstance, InjectOptions } from 'fastify'
import {
  type ApiKey,
  type Client,
  createClient,
  type Endpoint,
  EXCHANGES,
  listApiKeys,
  listClients,
  login,
  saveApiKey,
  testApiKey,
} from 'schema'
import type { DemoSecrets } from './secrets.ts'

export const DEMO_ADMIN = 'admin@sluice.demo'
export const DEMO_CLIENT = 'demo-bot'

type Call = (endpoint: Endpoint, payload?: InjectOptions['payload']) => Promise<unknown>

/**
 * Makes the demo's client, stores its keys and tests them, through the calls that the console
 * makes. Returns the secret of a client that was made now.
 * @throws when the data folder is of another demo whose secrets are gone
 */
export async function seed(
  app: FastifyInstance,
  secrets: DemoSecrets,
): Promise<string | undefined> {
  const credentials = { email: DEMO_ADMIN, password: secrets.adminPassword }
  const { token } = (await callsTo(app)(login, credentials)) as { token: string }
  const call = callsTo(app, token)
  const clients = (await call(listClients)) as Client[]
  const isKnown = clients.some(({ clientId }) => clientId === DEMO_CLIENT)
  if (isKnown && secrets.clientSecret === undefined)
    throw new Error(
      `The secret of "${DEMO_CLIENT}" is lost. Remove the data folder and start again.`,
    )
  const clientSecret = isKnown ? undefined : await createBot(call, secrets)
  await testKeys(call)
  return clientSecret
}

async function createBot(call: Call, { keys }: DemoSecrets): Promise<string> {
  const description = 'Created by the demo; trades on the paper exchange'
  const created = await call(createClient, { clientId: DEMO_CLIENT, description })
  for (const exchange of EXCHANGES)
    await call(saveApiKey, {
      clientId: DEMO_CLIENT,
      exchange,
      ...keys[exchange],
      note: 'paper account',
    })
  return (created as { clientSecret: string }).clientSecret
}

/** Tests the keys that nobody has tested: those saved now, and those of an older demo. */
async function testKeys(call: Call): Promise<void> {
  const stored = (await call(listApiKeys)) as ApiKey[]
  for (const { clientId, exchange, testStatus } of stored)
    if (clientId === DEMO_CLIENT && testStatus === 'untested')
      await call(testApiKey, { clientId, exchange })
}

function callsTo(app: FastifyInstance, token?: string): Call {
  return async (endpoint, payload) => {
    const response = await app.inject({
      method: endpoint.method,
      url: endpoint.path,
      ...(payload === undefined ? {} : { payload }),
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    })
    if (response.statusCode >= 400)
      throw new Error(
        `${endpoint.summary}: ${response.json().message}. If the data folder belongs to an older demo, remove it.`,
      )
    return response.json()
  }
}
