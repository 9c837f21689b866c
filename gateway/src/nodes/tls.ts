import { constants } from 'node:crypto'
import type { TLSSocket, TlsOptions } from 'node:tls'
import type { NodeKey, NodeKeys } from '../vault/derived-keys.ts'

/**
 * TLS 1.3 with a pre-shared key instead of certificates (RFC 8446, 2.2). OpenSSL uses such a key
 * only together with an ephemeral key exchange, so that recorded traffic stays secret when the
 * master key is lost later. With keys from callbacks it supports the hash SHA-256 only, which this
 * cipher has (OpenSSL, SSL_CTX_set_psk_client_callback).
 */
const PROTOCOL = {
  minVersion: 'TLSv1.3',
  maxVersion: 'TLSv1.3',
  ciphers: 'TLS_AES_128_GCM_SHA256',
} as const

/** The identities by which the connections of a listener were opened. */
export type Identities = WeakMap<object, string>

/** The TLS options of a listener that accepts each key of the ring. */
export function serverTls(keys: NodeKeys, identities: Identities): TlsOptions {
  return {
    ...PROTOCOL,
    // A ticket would open connections after its key has left the ring.
    secureOptions: constants.SSL_OP_NO_TICKET,
    pskCallback(socket: TLSSocket, identity: string) {
      const key = keys.find(identity)
      if (key === undefined) return null
      identities.set(socket, identity)
      return key.psk
    },
  }
}

/** Whether the key is still loaded by which a connection was opened. */
export function isKnown(socket: object, keys: NodeKeys, identities: Identities): boolean {
  const identity = identities.get(socket)
  return identity !== undefined && keys.find(identity) !== undefined
}

/** The TLS options of a connection that offers one key. */
export function clientTls({ identity, psk }: NodeKey) {
  return {
    ...PROTOCOL,
    pskCallback: () => ({ identity, psk }),
    // No certificate is trusted. OpenSSL would otherwise accept a server that ignores the key and
    // has a certificate.
    ca: [],
    checkServerIdentity: () => new Error('The other side has a certificate instead of the key'),
  }
}
