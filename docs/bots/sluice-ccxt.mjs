import { randomUUID } from 'node:crypto'
import ccxt from 'ccxt'
import { bearer, SLUICE, socketHeaders, withSluice } from './sluice-token.mjs'

/** ccxt.mexc with 'mx', or ccxt.bitget with 'bg'. */
export function viaSluice(Exchange, family, settings = {}) {
  if (!(Exchange.prototype instanceof ccxt.Exchange))
    throw new TypeError(
      'This class is not of the ccxt that sluice-ccxt imports: install both in one node_modules',
    )
  class ViaSluice extends Exchange {
    // The key of your own attempts is params.idempotencyKey; those that ccxt makes get one here. Another
    // call has none: Sluice then knows that it repeats an order whose outcome is unknown.
    fetch2(path, api, method, params = {}, headers, body, config) {
      const [retries] = this.handleOptionAndParams(params, path, 'maxRetriesOnFailure', 0)
      const key = params.idempotencyKey ?? (retries > 0 ? randomUUID() : undefined)
      const sent = 'idempotencyKey' in params ? this.omit(params, 'idempotencyKey') : params
      const withKey = key === undefined ? headers : { ...headers, 'Idempotency-Key': key }
      return super.fetch2(path, api, method, sent, withKey, body, config)
    }

    sign(path, api, method, params, headers, body) {
      const signed = super.sign(path, api, method, params, undefined, body)
      return { ...signed, headers: { ...signed.headers, ...headers } }
    }

    async fetch(url, method, headers, body, rejected) {
      const Authorization = await tokenFor(this, rejected)
      try {
        return await super.fetch(url, method, { ...headers, Authorization }, body)
      } catch (error) {
        // The token was revoked: try once more with a new token and the same key.
        if (rejected || error.sluice?.statusCode !== 401) throw error
        return this.fetch(url, method, headers, body, Authorization)
      }
    }

    handleErrors(status, reason, url, method, headers, body, response, ...rest) {
      // Bitget says of which kind the account is, classic or unified: the next call is made for that.
      if (response?.code === '40084') this.options.uta = false
      if (response?.code === '40085') this.options.uta = true
      try {
        return super.handleErrors(status, reason, url, method, headers, body, response, ...rest)
      } catch (error) {
        if (response?.sluice === undefined) throw error
        // ccxt's tables give no code of an exchange this class.
        const isPending = response.sluice.code === 'OUTCOME_PENDING'
        throw withSluice(
          isPending ? new ccxt.DuplicateOrderId(error.message) : error,
          response.sluice,
        )
      }
    }
  }

  const exchange = new ViaSluice({
    // Placeholders: Sluice removes their signature and signs with the stored keys.
    apiKey: 'via-sluice',
    secret: 'via-sluice',
    password: 'via-sluice',
    // Sluice limits the rate; an order may wait in the queue for up to 180 s.
    enableRateLimit: false,
    timeout: 200_000,
    ...settings,
  })
  // Every address: the token must not go anywhere else.
  const addresses = JSON.stringify(exchange.urls.api)
    .replaceAll(/https:\/\/[^/"]+/g, `${SLUICE}/${family}`)
    .replaceAll(/wss:\/\/[^/"]+/g, `${SLUICE.replace('http', 'ws')}/${family}`)
  exchange.urls.api = JSON.parse(addresses)
  // For the watch… calls of ccxt.pro: a socket gets the token that is there when ccxt makes it.
  exchange.options.ws = { options: { headers: socketHeaders } }
  prepareWatches(exchange)
  return exchange
}

function prepareWatches(exchange) {
  for (const name of Object.keys(exchange.has)) {
    const watch = exchange[name]
    if (!name.startsWith('watch') || typeof watch !== 'function') continue
    exchange[name] = async (...given) => {
      await tokenFor(exchange)
      // ccxt takes no address without TLS before.
      if (SLUICE.startsWith('http:')) await exchange.loadHttpProxyAgent()
      return watch.apply(exchange, given)
    }
  }
}

function tokenFor(exchange, rejected) {
  return bearer(rejected).catch((error) => {
    const isRefused = error.sluice?.statusCode < 429
    const Kind = isRefused ? ccxt.AuthenticationError : ccxt.NetworkError
    throw withSluice(new Kind(`${exchange.id} ${error.message}`), error.sluice ?? {})
  })
}
