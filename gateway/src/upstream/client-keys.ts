import { EXCHANGE_NAMES, type ExchangeCode } from 'schema'
import type { ExchangeKeys } from '../exchanges/exchange.ts'
import type { ApiKeyRow, ApiKeyStore } from '../store/api-key-store.ts'
import type { Sealing } from '../vault/sealing.ts'
import { ExchangeKeysMissingError, ExchangeKeysUnreadableError } from './errors.ts'

export interface ClientKeysDeps {
  readonly apiKeys: Pick<ApiKeyStore, 'find'>
  readonly sealing: Pick<Sealing, 'open'>
}

export interface OpenKeys {
  /** Replaced keys have another. */
  readonly id: number
  readonly keys: ExchangeKeys
}

/** A client's exchange keys: looked for when a request comes, opened only when it goes. */
export function createClientKeys({ apiKeys, sealing }: ClientKeysDeps) {
  async function find(clientRef: number, exchange: ExchangeCode): Promise<ApiKeyRow> {
    const row = await apiKeys.find(clientRef, exchange)
    if (row === undefined) throw new ExchangeKeysMissingError(EXCHANGE_NAMES[exchange])
    return row
  }

  return {
    /** The id of the keys that the client has now; replaced keys have another. @throws ExchangeKeysMissingError */
    async idOf(clientRef: number, exchange: ExchangeCode): Promise<number> {
      return (await find(clientRef, exchange)).id
    },

    /** @throws ExchangeKeysMissingError, ExchangeKeysUnreadableError */
    async open(clientRef: number, exchange: ExchangeCode): Promise<OpenKeys> {
      const row = await find(clientRef, exchange)
      const part = (field: 'apiKey' | 'apiSecret' | 'passphrase', sealed: string) =>
        sealing.open(sealed, { clientRef, exchange, field })
      try {
        const keys = {
          apiKey: part('apiKey', row.apiKeySealed),
          apiSecret: part('apiSecret', row.apiSecretSealed),
          ...(row.passphraseSealed === null
            ? {}
            : { passphrase: part('passphrase', row.passphraseSealed) }),
        }
        return { id: row.id, keys }
      } catch (cause) {
        throw new ExchangeKeysUnreadableError(EXCHANGE_NAMES[exchange], { cause })
      }
    },
  }
}
export type ClientKeys = ReturnType<typeof createClientKeys>
