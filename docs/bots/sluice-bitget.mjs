import { AsyncLocalStorage } from 'node:async_hooks'
import { bearer, SLUICE, socketHeaders, withSluice } from './sluice-token.mjs'

const ours = new AsyncLocalStorage()

/** A client of bitget-api, from its class RestClientV2 (classic accounts) or RestClientV3 (unified). */
export function viaSluice(RestClient, settings = {}) {
  const client = new RestClient(
    // Placeholders: Sluice removes their signature and signs with the stored keys.
    {
      ...{ apiKey: 'via-sluice', apiSecret: 'via-sluice', apiPass: 'via-sluice' },
      ...settings,
      baseUrl: `${SLUICE}/bg`,
    },
    {
      // An order may wait in the queue for up to 180 s.
      timeout: 200_000,
      transformRequest: (body, headers) => {
        for (const [name, value] of Object.entries(ours.getStore())) headers.set(name, value)
        return body && JSON.stringify(body)
      },
    },
  )

  async function call(name, args, key) {
    const keyed = key === undefined ? {} : { 'Idempotency-Key': key }
    const send = async (Authorization) =>
      ours.run({ ...keyed, Authorization }, () => client[name](...args))
    const first = await bearer()
    try {
      return await send(first).catch(async (error) => {
        if (error.body?.sluice?.statusCode !== 401) throw error
        // The token was revoked: try once more with a new token and the same key.
        return send(await bearer(first))
      })
    } catch (error) {
      const sluice = error.body?.sluice
      if (sluice === undefined) throw error
      // In place of the words of the HTTP status.
      throw withSluice(Object.assign(error, { message: error.body.msg }), sluice)
    }
  }

  const withKey = (key) =>
    new Proxy(client, {
      get(_, name) {
        if (name === 'withKey') return withKey
        const value = client[name]
        return typeof value === 'function' ? (...args) => call(name, args, key) : value
      },
    })
  // One key for all attempts at an order: withKey(key). A call without one may repeat an order whose
  // outcome is unknown, and Sluice then refuses it.
  return withKey()
}

/**
 * A client of bitget-api for WebSockets.
 * @param version 'v2' with WebsocketClientV2 (classic accounts), 'v3' with WebsocketClientV3 (unified)
 */
export async function streamsViaSluice(WebsocketClient, version, settings = {}) {
  await bearer()
  return new WebsocketClient({
    ...{ apiKey: 'via-sluice', apiSecret: 'via-sluice', apiPass: 'via-sluice' },
    ...settings,
    // One address for public and private channels.
    wsUrl: `${SLUICE.replace('http', 'ws')}/bg/${version}/ws/private`,
    wsOptions: { ...settings.wsOptions, headers: socketHeaders },
  })
}
