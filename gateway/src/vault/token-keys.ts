import type { KeyObject } from 'node:crypto'
import type { KeyRing } from './key-ring.ts'
import { deriveKey, type MasterKey } from './master-key.ts'

export interface TokenKeys {
  /** The key that signs new tokens. */
  signing(): Promise<KeyObject>
  /** The keys that may have signed a valid token, newest first. */
  verifying(): readonly KeyObject[]
}

/**
 * The keys of one kind of token. A token signed with an older master key stays valid until that key
 * is removed from the ring.
 */
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
