import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ApiKeyRow, ResealedKeys } from '../store/api-key-store.ts'
import type { ApprovalRow } from '../store/approval-store.ts'
import type { SecondFactorRow } from '../store/second-factor-store.ts'
import type { Stores } from '../store/stores.ts'
import { CLIENT_SECRET_KEY_NAME, clientSecretKey } from '../vault/client-secret.ts'
import { MasterKeyFileError } from '../vault/errors.ts'
import { CHECK_NAME, type KeyRing } from '../vault/key-ring.ts'
import { checkValue, type MasterKey } from '../vault/master-key.ts'
import {
  createSealer,
  createSealing,
  type SealBinding,
  type Sealer,
  type Sealing,
} from '../vault/sealing.ts'
import { byCommand } from './command-line.ts'

/** A row's secrets as plain text. Never log or store them. */
interface OpenedKeys {
  readonly apiKey: string
  readonly apiSecret: string
  readonly passphrase: string | null
}

type Opener = Pick<Sealing | Sealer, 'open'>

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
type SealedStores = Pick<Stores, 'apiKeys' | 'secondFactors' | 'approvals'>

/**
 * A row with something sealed: the exchange keys of a client, an authenticator app, or a request
 * that waits for approval.
 */
interface SealedRow {
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
async function listSealedRows(stores: SealedStores): Promise<readonly SealedRow[]> {
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

/**
 * The fact that says since when the current master key is current, in Unix ms. Absent before the
 * first rotation.
 */
export const CURRENT_SINCE_NAME = 'master_key_since_ms'

export interface ResealOptions extends SealedStores, Pick<Stores, 'facts'> {
  readonly ring: KeyRing
  readonly nowMs: () => number
}

/**
 * Makes a key the current one, and seals the key of the client secrets with it. Both happen in one
 * transaction, so that an interruption changes both or neither. The key file is read again first:
 * the key that seals must be stored somewhere.
 * @throws MasterKeyFileError when the key is no longer in its file
 */
export async function makeCurrent(options: ResealOptions, newest: MasterKey): Promise<void> {
  const { ring, facts, nowMs } = options
  await ring.reload()
  if (ring.find(newest.keyId) === undefined)
    throw new MasterKeyFileError(
      ring.file ?? 'MASTER_KEY',
      `the new key ${newest.keyId} is no longer in it. Nothing is sealed with it yet, and the old key still works; run this command again`,
    )
  const secretKey = await clientSecretKey(facts, ring, createSealing(ring))
  const text = secretKey.export().toString('base64')
  const before = { keyId: (await ring.current()).keyId }
  const values = {
    [CLIENT_SECRET_KEY_NAME]: createSealer(newest).seal(text, { field: 'clientSecretKey' }),
    [CHECK_NAME]: checkValue(newest),
    [CURRENT_SINCE_NAME]: `${nowMs()}`,
  }
  await facts.setAll(
    values,
    byCommand(nowMs(), {
      ...{ action: 'master-key.rotated', subjectKind: 'master-key', subject: newest.keyId },
      ...{ before, after: { keyId: newest.keyId } },
    }),
  )
}

/**
 * Reseals every row that an older loaded key sealed; the gateway reads and writes in between. A row
 * that no loaded key opens stays as it is.
 * @param onRow called after each row, with how many of how many are done
 */
export async function resealRows(
  options: ResealOptions,
  onRow: (done: number, of: number) => void,
): Promise<void> {
  const sealing = createSealing(options.ring)
  // A row that was saved while this ran may have been sealed just before the new key became
  // current.
  for (;;) {
    const sealer = await sealing.current()
    const rows = (await listSealedRows(options)).filter((row) => isBehind(row, sealing, sealer))
    if (rows.length === 0) return
    for (const [index, row] of rows.entries()) {
      await row.reseal(sealing, sealer)
      onRow(index + 1, rows.length)
      await nextTurn()
    }
  }
}

export interface Verified {
  /** Number of sealed rows that open with the current key. */
  readonly good: number
  /** Number of rows that no loaded key opens; the rotation did not cause this. */
  readonly lost: number
  /** Number of rows that only an older loaded key opens. */
  readonly behind: number
}

/**
 * Checks what opens with the current key alone.
 * @throws UnreadableSecretError for the key of the client secrets
 */
export async function verifyAll(options: ResealOptions): Promise<Verified> {
  const { ring, facts } = options
  const sealing = createSealing(ring)
  const sealer = await sealing.current()
  const secretKey = await facts.get(CLIENT_SECRET_KEY_NAME)
  if (secretKey !== undefined) sealer.open(secretKey, { field: 'clientSecretKey' })
  const rows = await listSealedRows(options)
  const good = rows.filter((row) => row.opens(sealer)).length
  const behind = rows.filter((row) => isBehind(row, sealing, sealer)).length
  return { good, behind, lost: rows.length - good - behind }
}

function isBehind(row: SealedRow, sealing: Sealing, sealer: Sealer): boolean {
  return row.keyId !== sealer.keyId && row.opens(sealing)
}
