import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

const UP = 0x01
const UV = 0x04
const ATTESTED = 0x40

export interface AuthenticatorOptions {
  /** What the browser says where the page is. */
  readonly origin: string
  /** The host name that the passkey is for; that of the origin by default. */
  readonly rpId?: string
}

/** Signing options that an honest authenticator never has. */
export interface Odd {
  readonly origin?: string
  readonly rpId?: string
  readonly counter?: number
  readonly type?: string
  readonly flags?: number
  readonly key?: KeyObject
  readonly challenge?: string
}

/**
 * A security key in software, with the browser in front of it: a P-256 key that attests to nothing
 * (WebAuthn, section 6).
 */
export class SoftwareAuthenticator {
  readonly id = randomBytes(32)
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  readonly #options: AuthenticatorOptions
  counter = 0

  constructor(options: AuthenticatorOptions) {
    this.#options = options
  }

  get credentialId(): string {
    return this.id.toString('base64url')
  }

  /** What `navigator.credentials.create()` gives, as JSON. */
  create({ challenge }: { readonly challenge: string }, odd: Odd = {}, format = 'none') {
    const clientDataJSON = this.#clientData('webauthn.create', challenge, odd)
    const authData = Buffer.concat([
      this.#head(odd, ATTESTED),
      Buffer.alloc(16),
      uint16(this.id.length),
      this.id,
      this.#coseKey(),
    ])
    const attestationObject = Buffer.concat([
      Buffer.from([0xa3]),
      ...[text('fmt'), text(format), text('attStmt'), Buffer.from([0xa0])],
      ...[text('authData'), bytes(authData)],
    ])
    return this.#toJson({
      clientDataJSON: clientDataJSON.toString('base64url'),
      attestationObject: attestationObject.toString('base64url'),
      transports: ['usb'],
    })
  }

  /** What `navigator.credentials.get()` gives, as JSON. */
  get({ challenge }: { readonly challenge: string }, odd: Odd = {}) {
    this.counter += 1
    const clientDataJSON = this.#clientData('webauthn.get', challenge, odd)
    const authenticatorData = this.#head(odd, 0)
    const hash = createHash('sha256').update(clientDataJSON).digest()
    const signed = Buffer.concat([authenticatorData, hash])
    return this.#toJson({
      clientDataJSON: clientDataJSON.toString('base64url'),
      authenticatorData: authenticatorData.toString('base64url'),
      signature: sign('sha256', signed, odd.key ?? this.#keys.privateKey).toString('base64url'),
    })
  }

  #toJson<R extends object>(response: R) {
    const id = this.credentialId
    return {
      ...{ id, rawId: id, type: 'public-key', response },
      // What browsers send besides.
      ...{ authenticatorAttachment: 'cross-platform', clientExtensionResults: { credProps: {} } },
    }
  }

  #clientData(type: string, challenge: string, odd: Odd): Buffer {
    const { origin } = { ...this.#options, ...odd }
    const data = { type, challenge, origin, crossOrigin: false, ...pick(odd) }
    return Buffer.from(JSON.stringify(data))
  }

  #head(odd: Odd, flags: number): Buffer {
    const rpId = odd.rpId ?? this.#options.rpId ?? new URL(this.#options.origin).hostname
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(odd.counter ?? this.counter)
    const all = odd.flags ?? UP | UV | flags
    return Buffer.concat([createHash('sha256').update(rpId).digest(), Buffer.from([all]), counter])
  }

  /** RFC 8152, 13.1.1. */
  #coseKey(): Buffer {
    const { x = '', y = '' } = this.#keys.publicKey.export({ format: 'jwk' })
    return Buffer.concat([
      Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21]),
      bytes(Buffer.from(x, 'base64url')),
      Buffer.from([0x22]),
      bytes(Buffer.from(y, 'base64url')),
    ])
  }
}

function pick({ type, challenge }: Odd) {
  return {
    ...(type === undefined ? {} : { type }),
    ...(challenge === undefined ? {} : { challenge }),
  }
}

function uint16(value: number): Buffer {
  const buffer = Buffer.alloc(2)
  buffer.writeUInt16BE(value)
  return buffer
}

// CBOR (RFC 8949, 3.1): short texts, and byte strings.
const text = (value: string) =>
  Buffer.concat([Buffer.from([0x60 + value.length]), Buffer.from(value)])

function bytes(value: Buffer): Buffer {
  const head = value.length < 256 ? [0x58, value.length] : [0x59, value.length >> 8, value.length]
  return Buffer.concat([Buffer.from(head), value])
}
