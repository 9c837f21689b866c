import { bitget, type Exchange, mexc } from 'ccxt'

export interface CcxtSettings {
  /** The address in place of the exchange's own origin, without a slash at its end. */
  readonly url: string
  readonly apiKey: string
  readonly secret: string
  readonly password?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Bitget's kind of account; ccxt detects it when absent. */
  readonly uta?: boolean
}

/** ccxt for Bitget as it comes, but for its addresses, its keys, a header and options. */
export function ccxtBitget(settings: CcxtSettings): Exchange {
  return pointed(new bitget(optionsOf(settings)), settings.url)
}

/** ccxt for MEXC as it comes, but for its addresses, its keys and a header. */
export function ccxtMexc(settings: CcxtSettings): Exchange {
  return pointed(new mexc(optionsOf(settings)), settings.url)
}

// ccxt keeps a pace of its own; the pace that counts here is the gateway's.
const optionsOf = ({ apiKey, secret, password, headers = {}, uta }: CcxtSettings) => ({
  apiKey,
  secret,
  ...(password === undefined ? {} : { password }),
  ...(uta === undefined ? {} : { options: { uta } }),
  headers,
  enableRateLimit: false,
  // Nothing waits for it to pass: on a busy machine several calls at once can take long.
  timeout: 100_000,
})

// The same addresses with another origin: `https://api.mexc.com/api/v3` becomes `url/api/v3`.
function pointed(exchange: Exchange, url: string): Exchange {
  const addresses = JSON.stringify(exchange.urls.api).replaceAll(/https:\/\/[^/"]+/g, url)
  exchange.urls.api = JSON.parse(addresses)
  return exchange
}
