import { clientSecretKey, createClientSecrets } from './client-secret.ts'
import { createTokenKeys, type KeySource, loadKeyRing } from './key-ring.ts'
import { createPasswords, createRecoveryCodes, type PasswordCost } from './password.ts'
import { createSealing } from './sealing.ts'

/**
 * Everything that is derived from the master key or sealed with it.
 * @throws what loadKeyRing throws
 */
export async function createVault(source: KeySource, passwordCost?: PasswordCost) {
  const ring = await loadKeyRing(source)
  const sealing = createSealing(ring)
  const key = await clientSecretKey(source.facts, ring, sealing)
  return {
    ring,
    sealing,
    secrets: createClientSecrets({ key }),
    recoveryCodes: createRecoveryCodes({ key }),
    passwords: createPasswords(passwordCost),
    tokenKeys: {
      admin: createTokenKeys(ring, 'admin token'),
      client: createTokenKeys(ring, 'client token'),
    },
  }
}
export type Vault = Awaited<ReturnType<typeof createVault>>
