import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import type { ApprovalNeeded, Endpoint, ErrorBody } from 'schema'
import type { Static, TSchema } from 'typebox'
import { type CallInput, requestOf } from './sample-call.ts'

type Headers = Readonly<Record<string, string>>
/** The headers of a call, or a client or a person who has them, and the address it comes from. */
export type CallAs = Headers | { readonly headers: Headers; readonly remoteAddress?: string }

type Part<E extends Endpoint, K extends keyof CallInput & keyof E> = E[K] extends TSchema
  ? object extends Static<E[K]>
    ? { readonly [P in K]?: Static<E[K]> }
    : { readonly [P in K]: Static<E[K]> }
  : unknown
type CallInputOf<E extends Endpoint> = CallInput &
  Part<E, 'params'> &
  Part<E, 'query'> &
  Part<E, 'body'>
type CallArgs<E extends Endpoint> =
  object extends CallInputOf<E>
    ? [input?: CallInputOf<E>, as?: CallAs]
    : [input: CallInputOf<E>, as?: CallAs]

interface Called<E extends Endpoint> {
  readonly status: number
  /** What the endpoint says it responds with; on an error, and on a 202, what those have. */
  readonly body: (E['response'] extends TSchema ? Static<E['response']> : unknown) &
    Partial<ErrorBody> &
    (E extends { approval: string } ? Partial<ApprovalNeeded> : unknown)
  readonly text: string
  readonly headers: LightMyRequestResponse['headers']
}

export type Call = <const E extends Endpoint>(
  endpoint: E,
  ...args: CallArgs<E>
) => Promise<Called<E>>

/**
 * Calls an endpoint as the catalogue describes it. Who calls is the administrator on the
 * administrators' side, and nobody elsewhere, unless `as` says who.
 */
export function callOf(app: FastifyInstance, asAdmin: Headers): Call {
  return async (endpoint, input: CallInput = {}, as: CallAs = usual(endpoint, asAdmin)) => {
    const { headers, ...from } = hasHeaders(as) ? as : { headers: as }
    const { remoteAddress } = { remoteAddress: undefined, ...from }
    const request = requestOf(endpoint, input)
    const response = await app.inject({
      ...request,
      headers: { ...request.headers, ...headers },
      ...(remoteAddress === undefined ? {} : { remoteAddress }),
    })
    const isJson = /^application\/json(;|$)/.test(`${response.headers['content-type']}`)
    const body = isJson ? ownErrorOf(JSON.parse(response.body)) : response.body
    return {
      ...{ status: response.statusCode, body },
      ...{ text: response.body, headers: response.headers },
    }
  }
}

/** A value that an endpoint does not take, for calls that it must refuse. */
export const wrong = (value: unknown) => value as never

const usual = ({ access }: Endpoint, asAdmin: Headers) => (access === 'admin' ? asAdmin : {})

const hasHeaders = (as: CallAs): as is Exclude<CallAs, Headers> => typeof as.headers === 'object'

/** Whether a URL is one of the exchanges' own paths, also when letters or digits are escaped. */
export function isRawUrl(url: string): boolean {
  const path = url.replace(/[?#].*/s, '')
  const plain = path.replaceAll(/%(?:[46][1-9a-f]|[57][0-9a]|3[0-9])/gi, decodeURIComponent)
  return /^\/(?:mx|bg|api\/v3|api\/v1\/(?:private|contract))(?=\/|$)/.test(plain)
}

/** An error of the gateway: on an exchange's own path it is beside the exchange's form. */
export const ownErrorOf = <Body>(body: Body): Body =>
  (Object(body) as { readonly sluice?: Body }).sluice ?? body
