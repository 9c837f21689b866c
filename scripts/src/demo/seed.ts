import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify'
import {
  type ApiKey,
  type Client,
  createClient,
  DEFAULT_PERMISSIONS,
  type Endpoint,
  type ExchangeCode,
  listApiKeys,
  listClients,
  login,
  logout,
  saveApiKey,
  testApiKey,
} from 'schema'
import type { DemoSecrets, PaperKeys } from './start-demo.ts'

export const DEMO_ADMIN = 'admin@sluice.demo'
export const DEMO_CLIENT = 'demo-bot'
/** With keys for a classic account of Bitget alone. */
export const DEMO_CLASSIC_CLIENT = 'demo-bot-classic'
const DEMO_CLIENTS = [DEMO_CLIENT, DEMO_CLASSIC_CLIENT]

type Call = (endpoint: Endpoint, payload?: InjectOptions['payload']) => Promise<unknown>

interface Seeded {
  /** Whether the demo's password, alone, still signs the admin in. */
  readonly signsIn: boolean
  /** Of clients that were made now. */
  readonly clientSecret?: string
  readonly classicSecret?: string
}

/**
 * Makes the demo's clients, stores their keys and tests them, through the calls that the console
 * makes. Once the admin has another password or a second factor, it leaves all of it as it is.
 * @throws when the data folder is of another demo whose secrets are gone
 */
export async function seed(app: FastifyInstance, secrets: DemoSecrets): Promise<Seeded> {
  const payload = { email: DEMO_ADMIN, password: secrets.adminPassword }
  const signedIn = await app.inject({ method: login.method, url: login.path, payload })
  if (signedIn.statusCode === 401 && secrets.clientSecret !== undefined) return { signsIn: false }
  const call = callsTo(app, readBody(login, signedIn).token)
  const made = await fill(call, secrets)
  // Nobody has to wonder whose session it is.
  await call(logout)
  return { signsIn: true, ...made }
}

async function fill(call: Call, secrets: DemoSecrets): Promise<Omit<Seeded, 'signsIn'>> {
  const clients = (await call(listClients)) as Client[]
  const isKnown = (wanted: string) => clients.some(({ clientId }) => clientId === wanted)
  if (isKnown(DEMO_CLIENT) && secrets.clientSecret === undefined)
    throw new Error(
      `The secret of "${DEMO_CLIENT}" is lost. Remove the data folder and start again.`,
    )
  const { mx, bg, classic } = secrets.keys
  const made = {
    ...(isKnown(DEMO_CLIENT)
      ? {}
      : { clientSecret: await createBot(call, DEMO_CLIENT, { mx, bg }) }),
    ...(isKnown(DEMO_CLASSIC_CLIENT)
      ? {}
      : { classicSecret: await createBot(call, DEMO_CLASSIC_CLIENT, { bg: classic }) }),
  }
  await testKeys(call)
  return made
}

/** A client that may change settings too. @returns its secret */
async function createBot(
  call: Call,
  clientId: string,
  keys: Partial<Record<ExchangeCode, PaperKeys>>,
): Promise<string> {
  const description = 'Created by the demo; trades on the paper exchange'
  const permissions = [...DEFAULT_PERMISSIONS, 'settings']
  const created = await call(createClient, { clientId, description, permissions })
  for (const [exchange, key] of Object.entries(keys))
    await call(saveApiKey, { clientId, exchange, ...key, note: 'paper account' })
  return (created as { clientSecret: string }).clientSecret
}

/** Tests the keys that nobody has tested: those saved now, and those of an older demo. */
async function testKeys(call: Call): Promise<void> {
  const stored = (await call(listApiKeys)) as ApiKey[]
  for (const { clientId, exchange, testStatus } of stored)
    if (DEMO_CLIENTS.includes(clientId) && testStatus === 'untested')
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
