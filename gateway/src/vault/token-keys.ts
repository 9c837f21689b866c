import type { KeyObject } from 'node:crypto'
import type { KeyRing } from './key-ring.ts'
import { deriveKey, type MasterKey } from './master-key.ts'

export interface TokenKeys {
  /** Signs now. */
  signing(): Promise<KeyObject>
  /** What may have signed a token that still counts, newest first. */
  verifying(): readonly KeyObject[]
}

/** The keys of one kind of tokens: what an older master key signed is good until that key leaves the ring. */
export function createTokenKeys(
  ring: Pick<KeyRing, 'keys' | 'current'>,
  purpose: 'admin token' | 'client token',
): TokenKeys {
  const derived = new WeakMap<MasterKey, KeyObject>()

  function derive(master: MasterKey): KeyObject {
    const key = derived.get(master) ?? deriveKey(master.key, purpose)
    derived.set(master, key)
    return key
  }

  return {
    signing: async () => derive(await ring.current()),
    verifying: () => ring.keys().map(derive).toReversed(),
  }
}
