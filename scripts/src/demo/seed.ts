import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify'
import {
  type ApiKey,
  type Client,
  createClient,
  type Endpoint,
  EXCHANGES,
  listApiKeys,
  listClients,
  login,
  logout,
  saveApiKey,
  testApiKey,
} from 'schema'
import type { DemoSecrets } from './secrets.ts'

export const DEMO_ADMIN = 'admin@sluice.demo'
export const DEMO_CLIENT = 'demo-bot'

type Call = (endpoint: Endpoint, payload?: InjectOptions['payload']) => Promise<unknown>

interface Seeded {
  /** Whether the demo's password, alone, still signs the admin in. */
  readonly signsIn: boolean
  /** Of a client that was made now. */
  readonly clientSecret?: string
}

/**
 * Makes the demo's client, stores its keys and tests them, through the calls that the console
 * makes. Once the admin has another password or a second factor, it leaves all of it as it is.
 * @throws when the data folder is of another demo whose secrets are gone
 */
export async function seed(app: FastifyInstance, secrets: DemoSecrets): Promise<Seeded> {
  const payload = { email: DEMO_ADMIN, password: secrets.adminPassword }
  const signedIn = await app.inject({ method: login.method, url: login.path, payload })
  if (signedIn.statusCode === 401 && secrets.clientSecret !== undefined) return { signsIn: false }
  const call = callsTo(app, readBody(login, signedIn).token)
  const clientSecret = await fill(call, secrets)
  // Nobody has to wonder whose session it is.
  await call(logout)
  return { signsIn: true, ...(clientSecret === undefined ? {} : { clientSecret }) }
}

async function fill(call: Call, secrets: DemoSecrets): Promise<string | undefined> {
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

function callsTo(app: FastifyInstance, token: string): Call {
  return async (endpoint, payload) =>
    readBody(
      endpoint,
      await app.inject({
        method: endpoint.method,
        url: endpoint.path,
        ...(payload === undefined ? {} : { payload }),
        headers: { authorization: `Bearer ${token}` },
      }),
    )
}

function readBody(endpoint: Endpoint, response: LightMyRequestResponse) {
  if (response.statusCode >= 400)
    throw new Error(
      `${endpoint.summary}: ${response.json().message}. If the data folder belongs to an older demo, remove it.`,
    )
  return response.statusCode === 204 ? undefined : response.json()
}
