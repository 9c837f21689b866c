import { createHash, randomBytes } from 'node:crypto'
import type { LightMyRequestResponse } from 'fastify'
import type { TestApp } from '../app.ts'

/** The gateway as browsers would reach it; the tests inject the requests. */
export const GATEWAY = 'http://localhost:8080'
export const CONSOLE = 'http://localhost:8081'

export interface PageEnd {
  /** The page of the console that the browser ended at. */
  readonly page: URL
  /** What is in its fragment. */
  readonly code: string
  readonly error: string | null
  /** What the page that began has kept. */
  readonly verifier: string
}

/** Somebody's browser: keeps the cookies of the provider and of the gateway. */
export class OpenIdBrowser {
  readonly #t: Pick<TestApp, 'app'>
  readonly #ofProvider = new Map<string, string>()
  ofGateway = ''

  constructor(t: Pick<TestApp, 'app'>) {
    this.#t = t
  }

  /** Goes to the provider and back to a page of the console. */
  async goThrough(query: Record<string, string> = {}): Promise<PageEnd> {
    const { location, verifier } = await this.begin(query)
    return { ...toEnd(await this.callback(await this.atProvider(location))), verifier }
  }

  /** The gateway sends the browser to the provider. */
  async begin(query: Record<string, string> = {}) {
    const verifier = randomBytes(32).toString('base64url')
    const challenge = createHash('sha256').update(verifier).digest('base64url')
    const response = await this.#t.app.inject({
      url: '/auth/openid',
      query: { challenge, ...query },
    })
    this.#keepGatewayCookie(response)
    return { response, location: `${response.headers.location}`, verifier }
  }

  /** Follows the provider until it sends the browser away; returns where to. */
  async atProvider(address: string): Promise<string> {
    const { origin } = new URL(address)
    let next = new URL(address)
    for (let step = 0; step < 10; step += 1) {
      const cookie = [...this.#ofProvider].map(([name, value]) => `${name}=${value}`).join('; ')
      const response = await fetch(next, { redirect: 'manual', headers: { cookie } })
      for (const line of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
        this.#ofProvider.set(name, value)
      }
      const location = response.headers.get('location')
      if (location === null) throw new Error(`The provider stays: ${await response.text()}`)
      next = new URL(location, next)
      if (next.origin !== origin) return next.href
    }
    throw new Error('The provider sends the browser in circles')
  }

  /** The provider sends the browser to the gateway. */
  async callback(address: string): Promise<LightMyRequestResponse> {
    const { pathname, search } = new URL(address)
    const response = await this.#t.app.inject({
      url: `${pathname}${search}`,
      headers: this.ofGateway === '' ? {} : { cookie: this.ofGateway },
    })
    this.#keepGatewayCookie(response)
    return response
  }

  #keepGatewayCookie({ headers }: LightMyRequestResponse): void {
    const [pair = ''] = `${headers['set-cookie'] ?? ''}`.split(';')
    if (pair !== '') this.ofGateway = pair.endsWith('=') ? '' : pair
  }
}

/** The page that a response sends the browser to. */
export function toEnd({ headers, statusCode, body }: LightMyRequestResponse) {
  if (statusCode !== 302) throw new Error(`No redirect but ${statusCode}: ${body}`)
  const page = new URL(`${headers.location}`)
  const fragment = new URLSearchParams(page.hash.slice(1))
  return { page, code: fragment.get('code') ?? '', error: fragment.get('error') }
}
