import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { UnreadableSecretError } from './errors.ts'
import type { KeyRing } from './key-ring.ts'
import { deriveKey, type MasterKey } from './master-key.ts'

/**
 * What a sealed text belongs to. It opens only for the same binding, so that text copied to another
 * row is detected.
 */
export type SealBinding =
  | {
      /** The client's row id. Unlike the client id, it is never reused. */
      readonly clientRef: number
      readonly exchange: string
      readonly field: 'apiKey' | 'apiSecret' | 'passphrase'
    }
  | {
      readonly adminId: number
      /** The row id of the second factor, which is never reused. */
      readonly factorRef: number
      readonly field: 'totpSecret'
    }
  | {
      /** The row id of the approval, which is never reused. */
      readonly approvalRef: number
      readonly field: 'approvalRequest'
    }
  | { readonly field: 'clientSecretKey' }

const VERSION = 'v1'
const CIPHER = 'aes-256-gcm'
// NIST SP 800-38D: random 96-bit nonces are safe for 2^32 texts per key; a tag has 128 bits.
const NONCE_BYTES = 12
const TAG_BYTES = 16

/**
 * Seals texts with AES-256-GCM and a key derived from the master key. A sealed text has the form
 * `v1.<key id>.<nonce, ciphertext and tag in base64url>`.
 */
export function createSealer(master: MasterKey) {
  const key = deriveKey(master.key, 'seal')

  return {
    /** The id of the master key, stored with the sealed text. */
    keyId: master.keyId,

    seal(text: string, binding: SealBinding): string {
      const nonce = randomBytes(NONCE_BYTES)
      const seal = createCipheriv(CIPHER, key, nonce).setAAD(toAad(binding, master.keyId))
      const body = Buffer.concat([
        nonce,
        seal.update(text, 'utf8'),
        seal.final(),
        seal.getAuthTag(),
      ])
      return `${VERSION}.${master.keyId}.${body.toString('base64url')}`
    },

    /**
     * @throws UnreadableSecretError when it was sealed with another key or for another binding, or
     * was altered
     */
    open(sealed: string, binding: SealBinding): string {
      const [sealedVersion, keyId, body = '', ...rest] = sealed.split('.')
      const bytes = Buffer.from(body, 'base64url')
      if (
        sealedVersion !== VERSION ||
        keyId !== master.keyId ||
        rest.length > 0 ||
        // The decoder skips characters that are not of the alphabet, and bits that are left over.
        bytes.toString('base64url') !== body ||
        bytes.length < NONCE_BYTES + TAG_BYTES
      ) {
        throw unreadable(binding)
      }
      const tagAt = bytes.length - TAG_BYTES
      try {
        const seal = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES), {
          authTagLength: TAG_BYTES,
        })
        seal.setAAD(toAad(binding, keyId)).setAuthTag(bytes.subarray(tagAt))
        return (
          seal.update(bytes.subarray(NONCE_BYTES, tagAt), undefined, 'utf8') + seal.final('utf8')
        )
      } catch (cause) {
        throw unreadable(binding, { cause })
      }
    },
  }
}
export type Sealer = ReturnType<typeof createSealer>

/** The error of a sealed text that does not open: what it is, and what people do about it. */
export function unreadable({ field }: SealBinding, options?: ErrorOptions): Error {
  const [name, remedy] = texts[field]
  return new UnreadableSecretError(name, remedy, options)
}

const SAVE_AGAIN = 'an administrator must save the API keys again'
const texts = {
  apiKey: ['API key', SAVE_AGAIN],
  apiSecret: ['API secret', SAVE_AGAIN],
  passphrase: ['passphrase', SAVE_AGAIN],
  totpSecret: [
    'secret of an authenticator app',
    'use a passkey or a recovery code and add the app again, or have an administrator remove your second factors',
  ],
  approvalRequest: [
    'request that waits for approval',
    'it cannot be carried out any more; ask for it again',
  ],
  clientSecretKey: [
    'key of the client secrets',
    'put the right master key back, or restore a backup with its key',
  ],
} as const

// JSON, because joined strings would be ambiguous.
function toAad(binding: SealBinding, keyId: string): Buffer {
  return Buffer.from(JSON.stringify([VERSION, keyId, ...placeOf(binding)]))
}

function placeOf(binding: SealBinding): readonly (string | number)[] {
  if ('clientRef' in binding) return [binding.clientRef, binding.exchange, binding.field]
  if ('factorRef' in binding) return [binding.adminId, binding.factorRef, binding.field]
  if ('approvalRef' in binding) return [binding.approvalRef, binding.field]
  return [binding.field]
}

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
