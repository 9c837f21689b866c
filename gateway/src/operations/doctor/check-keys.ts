import { dirname, join } from 'node:path'
import type { Config } from '../../config.ts'
import type { StoresBeside } from '../../store/stores.ts'
import { CHECK_NAME, type KeyRing, loadKeyRing } from '../../vault/key-ring.ts'
import { verifyAll } from '../rotation/reseal.ts'
import { about, type Finding } from './finding.ts'

export interface KeysCheck {
  readonly findings: readonly Finding[]
  /** The loaded master keys; undefined when none is in use, or when they cannot be used. */
  readonly ring?: KeyRing
}

/** Checks that the master key is the database's and opens everything that is sealed. */
export async function checkKeys(
  stores: StoresBeside,
  config: Pick<Config, 'masterKey'>,
): Promise<KeysCheck> {
  const { ok, failed } = about('master key')
  const { facts, path } = stores
  if ((await facts.get(CHECK_NAME)) === undefined)
    return {
      findings: [
        ok('none is in use yet; the first start of the gateway creates one, or uses yours'),
      ],
    }
  try {
    const defaultFile = path === undefined ? undefined : join(dirname(path), 'master.key')
    const ring = await loadKeyRing({ ...config.masterKey, defaultFile, facts })
    const { keyId } = await ring.current()
    const place = ring.file ?? 'MASTER_KEY'
    const good = ok(
      `the key ${keyId} in ${place} matches the database; keep a copy apart from the database`,
    )
    return {
      findings: [good, ...checkRotation(ring, keyId), await checkSealed(stores, ring)],
      ring,
    }
  } catch (error) {
    return { findings: [failed(error)] }
  }
}

function checkRotation(ring: KeyRing, keyId: string): readonly Finding[] {
  const { warn } = about('master key')
  const keys = ring.keys()
  if (keys.length === 1) return []
  return keys.at(-1)?.keyId === keyId
    ? [warn('older keys are still there', 'npm run rotate-key -- --finish')]
    : [warn('a rotation was started but not finished', 'npm run rotate-key')]
}

async function checkSealed(stores: StoresBeside, ring: KeyRing): Promise<Finding> {
  const { ok, warn } = about('stored secrets')
  const { good, behind, lost } = await verifyAll({ ...stores, ring, nowMs: Date.now })
  if (lost > 0)
    return warn(
      `${lost} of ${good + behind + lost} cannot be opened with the available keys`,
      'Put the older master key into the key file, before the others; or save these exchange keys again in the console, where they are marked, and let administrators whose app does not work add it again.',
    )
  return ok(`all ${good + behind} can be opened`)
}
