/** `withKey` makes all calls with one idempotency key: both attempts at the same order. */
export type Keyed<Client> = Client & { withKey(key: string): Keyed<Client> }

/**
 * A client of bitget-api whose calls go to the gateway. An error has `sluice`, `outcome` and
 * `retryable` (`ViaSluice` of `sluice-bots/token`) when Sluice made it.
 * @param RestClient `RestClientV2` for a classic account, `RestClientV3` for a unified one
 */
export function viaSluice<Client, Settings extends object>(
  RestClient: new (settings?: Settings, network?: object) => Client,
  settings?: Settings,
): Keyed<Client>

/**
 * A client of bitget-api for WebSockets, public and private channels alike.
 * @param WebsocketClient `WebsocketClientV2` for a classic account, `WebsocketClientV3` for a
 * unified one
 */
export function streamsViaSluice<Client, Settings extends object>(
  WebsocketClient: new (settings?: Settings) => Client,
  version: 'v2' | 'v3',
  settings?: Settings,
): Promise<Client>
