import { RestClientV2, RestClientV3 } from 'bitget-api'
import { PLACEHOLDER } from './sluice.ts'

type Headers = Readonly<Record<string, string>>

/**
 * bitget-api for classic accounts as it comes, but for its address and headers of the bot's own.
 */
export const restClientV2 = (url: string, headers: Headers): RestClientV2 =>
  new RestClientV2(settingsFor(url), withHeaders(headers))

/**
 * bitget-api for unified accounts as it comes, but for its address and headers of the bot's own.
 */
export const restClientV3 = (url: string, headers: Headers): RestClientV3 =>
  new RestClientV3(settingsFor(url), withHeaders(headers))

const settingsFor = (url: string) => ({
  ...{ apiKey: PLACEHOLDER, apiSecret: PLACEHOLDER, apiPass: PLACEHOLDER },
  baseUrl: `${url}/bg`,
})

const withHeaders = (own: Headers) => ({
  transformRequest: (body: unknown, headers: { set(name: string, value: string): void }) => {
    for (const [name, value] of Object.entries(own)) headers.set(name, value)
    return body === undefined ? undefined : JSON.stringify(body)
  },
})

/** What bitget-api throws when a call is rejected: the status, and the code in the body. */
export const rejectionOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'accepted',
    ({ code, body }) => ({ status: code, code: body.code }),
  )
