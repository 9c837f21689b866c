import type { ApiKeyRow, ApiKeyStore } from '../store/api-key-store.ts'
import type { Sealer } from '../vault/seal.ts'
import type { Sealing } from '../vault/sealing.ts'

/** The sealed parts of a row in the clear. Never log or keep them. */
export interface OpenedKeys {
  readonly apiKey: string
  readonly apiSecret: string
  readonly passphrase: string | null
}

/** @throws UnreadableSecretError */
export function openRow(row: ApiKeyRow, opener: Pick<Sealing | Sealer, 'open'>): OpenedKeys {
  const { clientRef, exchange } = row
  return {
    apiKey: opener.open(row.apiKeySealed, { clientRef, exchange, field: 'apiKey' }),
    apiSecret: opener.open(row.apiSecretSealed, { clientRef, exchange, field: 'apiSecret' }),
    passphrase:
      row.passphraseSealed === null
        ? null
        : opener.open(row.passphraseSealed, { clientRef, exchange, field: 'passphrase' }),
  }
}

export interface SealedCheck {
  readonly total: number
  /** Ids of rows that do not open with the keys at hand. */
  readonly unreadable: readonly number[]
}

/** Opens every exchange key once, to learn whether it can be done. */
export async function checkSealedRows(
  apiKeys: Pick<ApiKeyStore, 'listSealed'>,
  opener: Pick<Sealing | Sealer, 'open'>,
): Promise<SealedCheck> {
  const rows = await apiKeys.listSealed()
  const unreadable = rows.filter((row) => !opens(row, opener)).map(({ id }) => id)
  return { total: rows.length, unreadable }
}

function opens(row: ApiKeyRow, opener: Pick<Sealing | Sealer, 'open'>): boolean {
  try {
    openRow(row, opener)
    return true
  } catch {
    return false // Told by the row's id: the key that would open it is not at hand, or the row is damaged.
  }
}
