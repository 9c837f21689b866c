import type { KeyRing } from './key-ring.ts'
import type { MasterKey } from './master-key.ts'
import { createSealer, type SealBinding, type Sealer, unreadable } from './seal.ts'

/** Seals with the current master key, and opens with the key that sealed the text. */
export function createSealing(ring: Pick<KeyRing, 'find' | 'current'>) {
  const sealers = new WeakMap<MasterKey, Sealer>()

  function sealerOf(key: MasterKey): Sealer {
    const sealer = sealers.get(key) ?? createSealer(key)
    sealers.set(key, sealer)
    return sealer
  }

  return {
    /** The current sealer. Ask again for each record: a rotation can change it at any time. */
    async current(): Promise<Sealer> {
      return sealerOf(await ring.current())
    },

    /** @throws UnreadableSecretError */
    open(sealed: string, binding: SealBinding): string {
      const key = ring.find(sealed.split('.')[1] ?? '')
      if (key === undefined) throw unreadable(binding)
      return sealerOf(key).open(sealed, binding)
    },

    /** Whether the key with this id is loaded. */
    canOpen(keyId: string): boolean {
      return ring.find(keyId) !== undefined
    },
  }
}
export type Sealing = ReturnType<typeof createSealing>
