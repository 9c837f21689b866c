import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FactStore } from '../../store/fact-store.ts'
import { CLIENT_SECRET_KEY_NAME, clientSecretKey } from '../../vault/client-secret.ts'
import { MasterKeyFileError } from '../../vault/errors.ts'
import { CHECK_NAME, type KeyRing } from '../../vault/key-ring.ts'
import { checkValue, type MasterKey } from '../../vault/master-key.ts'
import { createSealer, createSealing, type Sealer, type Sealing } from '../../vault/sealing.ts'
import { byCommand } from '../command-line.ts'
import { listSealedRows, type SealedRow, type SealedStores } from '../sealed-rows.ts'

/**
 * The fact that says since when the current master key is current, in Unix ms. Absent before the
 * first rotation.
 */
export const CURRENT_SINCE_NAME = 'master_key_since_ms'

export interface ResealDeps extends SealedStores {
  readonly ring: KeyRing
  readonly facts: FactStore
  readonly nowMs: () => number
}

/**
 * Makes a key the current one, and seals the key of the client secrets with it. Both happen in one
 * transaction, so that an interruption changes both or neither. The key file is read again first:
 * the key that seals must be stored somewhere.
 * @throws MasterKeyFileError when the key is no longer in its file
 */
export async function makeCurrent(deps: ResealDeps, newest: MasterKey): Promise<void> {
  const { ring, facts, nowMs } = deps
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
  deps: ResealDeps,
  onRow: (done: number, of: number) => void,
): Promise<void> {
  const sealing = createSealing(deps.ring)
  // A row that was saved while this ran may have been sealed just before the new key became
  // current.
  for (;;) {
    const sealer = await sealing.current()
    const rows = (await listSealedRows(deps)).filter((row) => isBehind(row, sealing, sealer))
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
export async function verifyAll(deps: ResealDeps): Promise<Verified> {
  const { ring, facts } = deps
  const sealing = createSealing(ring)
  const sealer = await sealing.current()
  const secretKey = await facts.get(CLIENT_SECRET_KEY_NAME)
  if (secretKey !== undefined) sealer.open(secretKey, { field: 'clientSecretKey' })
  const rows = await listSealedRows(deps)
  const good = rows.filter((row) => row.opens(sealer)).length
  const behind = rows.filter((row) => isBehind(row, sealing, sealer)).length
  return { good, behind, lost: rows.length - good - behind }
}

function isBehind(row: SealedRow, sealing: Sealing, sealer: Sealer): boolean {
  return row.keyId !== sealer.keyId && row.opens(sealing)
}
