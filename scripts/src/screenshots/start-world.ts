import {
  type Client,
  createClient,
  deleteClient,
  dropQueueOfClient,
  type Endpoint,
  type ExchangeCode,
  getToken,
  listClients,
  login,
  saveApiKey,
  testApiKey,
  toggleClient,
  type User,
  urlOf,
} from 'schema'
import { createAccount } from './create-account.ts'
import { deployLocally, type LocalDeployment } from './deploy-locally.ts'

/** A deployment with an administrator who is signed in. */
export interface World extends LocalDeployment {
  readonly session: { readonly token: string; readonly user: User }
  readonly admin: WorldAdmin
}

export interface NewSecret {
  readonly id: number
  readonly clientId: string
  readonly clientSecret: string
}

/** What the administrator does; each throws with the gateway's words when it rejects the call. */
export interface WorldAdmin {
  newClient(clientId: string, description?: string): Promise<NewSecret>
  switch(clientId: string, isActive: boolean): Promise<void>
  /** Deletes a client, also one that was not made here. */
  remove(clientId: string): Promise<void>
  /**
   * Opens an account at the paper exchange and stores its keys, with a wrong secret when they are
   * mistyped.
   */
  newKeys(clientId: string, exchange: ExchangeCode, isMistyped: boolean): Promise<void>
  testKeys(clientId: string, exchange: ExchangeCode): Promise<void>
  /** Drops what waits of a client at an exchange. */
  dropQueue(clientId: string, exchange: ExchangeCode): Promise<void>
  /** A bearer token of the client. */
  token(client: NewSecret): Promise<string>
}

const ADMIN = { email: 'ada@sluice.example', password: 'correct horse battery staple' }
/** As a gateway has it that nobody configured. */
const RATE_PER_SECOND = 2

/** Deploys everything and signs in; the caller closes it. */
export async function startWorld(dist: string): Promise<World> {
  const deployment = await deployLocally({ dist, admin: ADMIN, ratePerSecond: RATE_PER_SECOND })
  const { gatewayUrl, paper } = deployment
  const session = await call<World['session']>(gatewayUrl, login, { body: ADMIN })
  const asAdmin = <T>(endpoint: Endpoint, input: Input) =>
    call<T>(gatewayUrl, endpoint, { ...input, token: session.token })
  const idOf = async (clientId: string) => {
    const clients = await asAdmin<Client[]>(listClients, {})
    return clients.find((client) => client.clientId === clientId)?.id
  }

  const admin: WorldAdmin = {
    newClient: (clientId, description = '') =>
      asAdmin(createClient, { body: { clientId, description } }),
    switch: async (clientId, isActive) =>
      asAdmin(toggleClient, { params: { id: await idOf(clientId) }, body: { isActive } }),
    remove: async (clientId) => asAdmin(deleteClient, { params: { id: await idOf(clientId) } }),
    newKeys(clientId, exchange, isMistyped) {
      const keys = createAccount(paper, exchange, clientId)
      const apiSecret = isMistyped ? 'mistyped' : keys.apiSecret
      const note = exchange === 'mx' ? 'main account' : 'sub-account 2'
      return asAdmin(saveApiKey, { body: { clientId, exchange, ...keys, apiSecret, note } })
    },
    testKeys: (clientId, exchange) => asAdmin(testApiKey, { body: { clientId, exchange } }),
    dropQueue: (clientId, exchange) =>
      asAdmin(dropQueueOfClient, { params: { exchange }, query: { clientId } }),
    async token({ clientId, clientSecret }) {
      const body = { clientId, clientSecret }
      return (await call<{ token: string }>(gatewayUrl, getToken, { body })).token
    },
  }
  return { ...deployment, session, admin }
}

interface Input {
  readonly params?: Record<string, unknown>
  readonly query?: Record<string, unknown>
  readonly body?: unknown
  readonly token?: string
}

async function call<T>(gatewayUrl: string, endpoint: Endpoint, input: Input): Promise<T> {
  const { params = {}, query = {}, body, token } = input
  const response = await fetch(`${gatewayUrl}${urlOf(endpoint, { params, query })}`, {
    method: endpoint.method,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${endpoint.summary}: ${response.status} ${text}`)
  // The responses of the gateway hold to the catalogue.
  return (text === '' ? undefined : JSON.parse(text)) as T
}
