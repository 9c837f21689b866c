import { readdirSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { catalogue, type Endpoint, urlOf } from 'schema'
import { expect, onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { spawnGateway } from '../campaign/gateway.ts'
import { eventually } from '../support/eventually.ts'
import type { Canaries } from './canaries.ts'

export interface Call {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

// biome-ignore lint/suspicious/noExplicitAny: what an endpoint responds is read as its test needs it
type Json = any

interface SocketOptions {
  readonly headers?: Readonly<Record<string, string>>
  readonly protocols?: readonly string[]
}

export interface Reply {
  readonly status: number
  readonly where: string
  readonly json: Json
}

/** The gateway as a process on a data folder. Everything that it lets out is collected. */
export class Product {
  readonly #canaries: Canaries
  readonly #entry: string
  #process: { readonly pid: number; readonly said: Promise<string> } | undefined
  /** The endpoints that were called. */
  readonly called = new Set<string>()
  #url = ''
  #calls = 0
  #starts = 0

  constructor(canaries: Canaries, entry: string) {
    this.#canaries = canaries
    this.#entry = entry
  }

  /** Starts a process, whose outputs are collected when it has ended. */
  async start(env: Readonly<Record<string, string>>): Promise<void> {
    this.#starts += 1
    const name = `gateway ${this.#starts}`
    const lines: string[] = []
    const gateway = spawnGateway({
      ...{ entry: this.#entry, env: { PATH: process.env.PATH ?? '', LOG_LEVEL: 'trace', ...env } },
      onLine: (line) => void lines.push(line),
    })
    onTestFinished(() => gateway.signal('SIGKILL'))
    const said = gateway.ended.then(({ stderr }) => {
      this.#canaries.collect(`stdout of ${name}`, lines.join('\n'))
      this.#canaries.collect(`stderr of ${name}`, stderr)
      return `${lines.join('\n')}\n${stderr}`
    })
    this.#process = { pid: gateway.pid ?? 0, said }
    this.#url = await gateway.url
  }

  /** Ends the process. @returns what it said */
  async end(signal: NodeJS.Signals): Promise<string> {
    if (this.#process === undefined) throw new Error('It was not started')
    process.kill(this.#process.pid, signal)
    return this.#process.said
  }

  /** Calls an endpoint; the secrets that it shows once are planted from then on. */
  async call(
    of: Endpoint | string,
    { params, query, body, headers = {} }: Call = {},
  ): Promise<Reply> {
    const endpoint = typeof of === 'string' ? endpointOf(of) : of
    this.called.add(endpoint.id)
    const path = urlOf(endpoint, {
      ...(params === undefined ? {} : { params }),
      ...(query === undefined ? {} : { query }),
    })
    const isText = body === undefined || typeof body === 'string'
    const reply = await this.fetch(endpoint.method, path, {
      headers: { ...(isText ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
    })
    this.#plantShown(endpoint, reply)
    return reply
  }

  async fetch(method: string, path: string, init: RequestInit = {}): Promise<Reply> {
    this.#calls += 1
    // Redirects lead to a console that is not there.
    const url = `${this.#url}${path}`
    const response = await fetch(url, { redirect: 'manual', ...init, method }).catch((cause) => {
      throw new Error(`${method} ${path} has no response`, { cause })
    })
    const bytes = Buffer.from(await response.arrayBuffer())
    const where = `response ${this.#calls} to ${method} ${path.split('?')[0]} (${response.status})`
    const head = [...response.headers].map(([name, value]) => `${name}: ${value}\n`)
    this.#canaries.collect(
      where,
      Buffer.concat([Buffer.from(`${response.statusText}\n${head.join('')}\n`), bytes]),
    )
    return { status: response.status, where, json: parse(bytes.toString()) }
  }

  /**
   * Dials a WebSocket and sends frames. What comes is collected when the connection has ended.
   * @returns waits for a text in a frame
   */
  socket(
    path: string,
    { headers = {}, protocols = [] }: SocketOptions,
    frames: readonly (object | string)[],
  ): (words: string) => Promise<void> {
    this.#calls += 1
    const where = `frames ${this.#calls} at ${path.split('?')[0]}`
    const received: string[] = []
    const socket = new WebSocket(`${this.#url.replace('http', 'ws')}${path}`, [...protocols], {
      headers,
    })
    onTestFinished(() => socket.terminate())
    socket.on('open', () => {
      for (const frame of frames)
        socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame))
    })
    socket.on('upgrade', ({ rawHeaders }) => received.push(rawHeaders.join('\n')))
    socket.on('message', (data: Buffer) => received.push(data.toString('latin1')))
    socket.on('error', ({ message }) => received.push(message))
    socket.on('close', (code, reason) => {
      this.#canaries.collect(where, `${received.join('\n')}\n${code} ${reason}`)
    })
    return (words) =>
      eventually(() => expect(received.slice(1).join('\n')).toMatch(new RegExp(words)))
  }

  /** Writes bytes as they are, and reads until the gateway closes or is silent. */
  async raw(text: string): Promise<void> {
    this.#calls += 1
    const { hostname, port } = new URL(this.#url)
    const received = await new Promise<Buffer>((resolve) => {
      const chunks: Buffer[] = []
      const socket = connect(Number(port), hostname, () => socket.write(text, 'latin1'))
      socket.setTimeout(300, () => socket.destroy())
      socket.on('data', (chunk) => chunks.push(chunk))
      socket.on('error', () => {})
      socket.on('close', () => resolve(Buffer.concat(chunks)))
    })
    this.#canaries.collect(`response ${this.#calls} to raw bytes`, received)
  }

  #plantShown({ id }: Endpoint, { status, where, json }: Reply): void {
    const shown = SHOWN_ONCE[id]
    if (shown === undefined || status >= 300) return
    const { place, reason, secretsOf } = shown
    const secrets = secretsOf(json).filter((secret) => typeof secret === 'string')
    for (const secret of secrets) this.#canaries.plant(place, ownPartOf(secret), { where, reason })
  }
}

interface Shown {
  readonly place: string
  readonly reason: string
  readonly secretsOf: (json: Json) => readonly unknown[]
}

const SESSION: Shown = {
  place: 'session token',
  reason: 'signing in gives the token of the session',
  secretsOf: ({ token }) => [token],
}
const TOKEN: Shown = {
  place: "bot's token",
  reason: 'a bot gets its token',
  secretsOf: ({ accessToken, token, access_token }) => [accessToken ?? token ?? access_token],
}
const CLIENT: Shown = {
  place: 'client secret',
  reason: 'a new client secret is shown once',
  secretsOf: ({ clientSecret }) => [clientSecret],
}
const PASSWORD: Shown = {
  place: 'password',
  reason: 'a generated password is shown once',
  secretsOf: ({ password }) => [password],
}
const CODES: Shown = {
  place: 'recovery code',
  reason: 'new recovery codes are shown once',
  secretsOf: ({ recoveryCodes }) => recoveryCodes ?? [],
}

/** The endpoints whose responses have a secret. */
const SHOWN_ONCE: Readonly<Record<string, Shown>> = {
  login: SESSION,
  secondFactor: SESSION,
  getToken: TOKEN,
  oauthToken: TOKEN,
  issueClientToken: TOKEN,
  createClient: CLIENT,
  rotateClientSecret: CLIENT,
  createPerson: PASSWORD,
  resetPassword: PASSWORD,
  confirmTotp: CODES,
  createPasskey: CODES,
  createRecoveryCodes: CODES,
  createTotp: {
    place: 'TOTP secret',
    reason: 'an authenticator app needs its secret once',
    secretsOf: ({ secret }) => [secret],
  },
}

/** Of a token the signature, of a client secret what is not its mark: the rest is no secret. */
const ownPartOf = (secret: string) => secret.replace(/^sls_/, '').split('.').at(-1) ?? secret

/** An endpoint of the catalogue. */
export function endpointOf(id: string): Endpoint {
  const found = catalogue.find((endpoint) => endpoint.id === id)
  if (found === undefined) throw new Error(`There is no endpoint ${id}`)
  return found
}

/** Collects every file of a folder and of those in it. */
export function collectFiles(canaries: Canaries, folder: string, name: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    canaries.collect(`file ${path.replace(folder, name)}`, readFileSync(path))
  }
}

function parse(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // Not every response is JSON.
  }
}
