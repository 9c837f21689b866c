import type { ApiKeyRow, ApiKeyStore, ResealedKeys } from '../store/api-key-store.ts'
import type { ApprovalRow, ApprovalStore } from '../store/approval-store.ts'
import type { SecondFactorRow, SecondFactorStore } from '../store/second-factor-store.ts'
import type { SealBinding, Sealer, Sealing } from '../vault/sealing.ts'

/** A row's secrets as plain text. Never log or store them. */
export interface OpenedKeys {
  readonly apiKey: string
  readonly apiSecret: string
  readonly passphrase: string | null
}

export type Opener = Pick<Sealing | Sealer, 'open'>

/** @throws UnreadableSecretError */
export function openRow(row: ApiKeyRow, opener: Opener): OpenedKeys {
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

/** The stores of everything that is sealed in rows. */
export interface SealedStores {
  readonly apiKeys: Pick<ApiKeyStore, 'listSealed' | 'reseal'>
  readonly secondFactors: Pick<SecondFactorStore, 'listSealed' | 'reseal'>
  readonly approvals: Pick<ApprovalStore, 'listSealed' | 'reseal'>
}

/**
 * A row with something sealed: the exchange keys of a client, an authenticator app, or a request
 * that waits for approval.
 */
export interface SealedRow {
  /** The master key that sealed it. */
  readonly keyId: string | null
  opens(opener: Opener): boolean
  /**
   * Seals the same secrets with another key.
   * @throws UnreadableSecretError, StoreUnwritableError
   */
  reseal(opener: Opener, sealer: Sealer): Promise<void>
}

/** Every row with something sealed, exchange keys first, each oldest first. */
export async function listSealedRows(stores: SealedStores): Promise<readonly SealedRow[]> {
  const { apiKeys, secondFactors, approvals } = stores
  return [
    ...(await apiKeys.listSealed()).map((row) => ofKeys(row, apiKeys)),
    ...(await secondFactors.listSealed()).map((row) => ofApp(row, secondFactors)),
    ...(await approvals.listSealed()).map((row) => ofRequest(row, approvals)),
  ]
}

function ofKeys(row: ApiKeyRow, apiKeys: SealedStores['apiKeys']): SealedRow {
  return {
    keyId: row.keyId,
    opens: (opener) => isOpened(() => openRow(row, opener)),
    async reseal(opener, sealer) {
      await apiKeys.reseal(row.id, sealAnew(row, opener, sealer))
    },
  }
}

function ofApp(row: SecondFactorRow, secondFactors: SealedStores['secondFactors']): SealedRow {
  const { id, adminId, keyId, secretSealed } = row
  const binding: SealBinding = { adminId, factorRef: id, field: 'totpSecret' }
  const open = (opener: Opener) => opener.open(secretSealed ?? '', binding)
  return {
    keyId,
    opens: (opener) => isOpened(() => open(opener)),
    async reseal(opener, sealer) {
      const secret = sealer.seal(open(opener), binding)
      await secondFactors.reseal(id, { secretSealed: secret, keyId: sealer.keyId })
    },
  }
}

function ofRequest(row: ApprovalRow, approvals: SealedStores['approvals']): SealedRow {
  const { id, keyId, requestSealed } = row
  const binding: SealBinding = { approvalRef: id, field: 'approvalRequest' }
  const open = (opener: Opener) => opener.open(requestSealed ?? '', binding)
  return {
    keyId,
    opens: (opener) => isOpened(() => open(opener)),
    async reseal(opener, sealer) {
      const request = sealer.seal(open(opener), binding)
      await approvals.reseal(id, { requestSealed: request, keyId: sealer.keyId })
    },
  }
}

function sealAnew(row: ApiKeyRow, opener: Opener, sealer: Sealer): ResealedKeys {
  const { clientRef, exchange } = row
  const { apiKey, apiSecret, passphrase } = openRow(row, opener)
  return {
    apiKeySealed: sealer.seal(apiKey, { clientRef, exchange, field: 'apiKey' }),
    apiSecretSealed: sealer.seal(apiSecret, { clientRef, exchange, field: 'apiSecret' }),
    passphraseSealed:
      passphrase === null
        ? null
        : sealer.seal(passphrase, { clientRef, exchange, field: 'passphrase' }),
    keyId: sealer.keyId,
  }
}

export interface SealedCheck {
  readonly total: number
  /** How many rows do not open with the loaded keys. */
  readonly unreadable: number
}

/** Opens everything sealed once, to find out whether it can be opened. */
export async function checkSealedRows(stores: SealedStores, opener: Opener): Promise<SealedCheck> {
  const rows = await listSealedRows(stores)
  return { total: rows.length, unreadable: rows.filter((row) => !row.opens(opener)).length }
}

function isOpened(open: () => unknown): boolean {
  try {
    open()
    return true
  } catch {
    return false // The caller counts it: its key is not loaded, or the row is damaged.
  }
}
