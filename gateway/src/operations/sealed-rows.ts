import type { ApiKeyRow, ApiKeyStore } from '../store/api-key-store.ts'
import type { Sealer } from '../vault/seal.ts'
import type { Sealing } from '../vault/sealing.ts'

/** A row's secrets as plain text. Never log or store them. */
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
  /** Ids of the rows that do not open with the loaded keys. */
  readonly unreadable: readonly number[]
}

/** Opens every exchange key once, to find out whether it can be opened. */
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
    return false // The result names the row by its id: its key is not loaded, or the row is damaged.
  }
}
