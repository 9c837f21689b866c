import { setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { verifyAuthenticationResponse, verifyRegistrationResponse } from '@simplewebauthn/server'
import { decodeAttestationObject, isoBase64URL } from '@simplewebauthn/server/helpers'
import {
  type FromPasskeyWorker,
  type NewPasskey,
  PASSKEY_ALGORITHMS,
  type PasskeyCheck,
  type ToPasskeyWorker,
} from './passkeys.ts'

// A thread that checks passkeys. Loading the library takes the time of many orders, and what it
// reads is certificates and binary data that anybody may have made up.

/** About a third of the time of a thread that has something to do for orders. */
const NICE = 5

// Orders go first. Linux has a priority for each thread; elsewhere it is that of the process.
if (process.platform === 'linux') setPriority(NICE)

const port = parentPort
if (port === null) throw new Error('This file is the start of a worker thread')

port.on('message', async ({ id, check }: ToPasskeyWorker) => {
  const send = (message: FromPasskeyWorker) => port.postMessage(message)
  try {
    send({ id, passkey: await checkPasskey(check) })
  } catch (error) {
    // Whatever the library throws at what a browser sent means that it is not right.
    send({ id, refused: error instanceof Error ? error.message : String(error) })
  }
})

/** @throws why it is refused */
async function checkPasskey(check: PasskeyCheck): Promise<NewPasskey> {
  return check.type === 'registration' ? register(check) : assert(check)
}

type CheckOf<T extends PasskeyCheck['type']> = Extract<PasskeyCheck, { type: T }>

async function register({ expected, response }: CheckOf<'registration'>): Promise<NewPasskey> {
  requireNoCertificates(response.response.attestationObject)
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    ...{ response, ...expectationsOf(expected) },
    supportedAlgorithmIDs: PASSKEY_ALGORITHMS,
  })
  if (!verified) throw new Error('The registration is not right')
  const { id, publicKey, counter, transports = [] } = registrationInfo.credential
  // The id that the authenticator signs with is the one that the browser will name.
  if (id !== response.id) throw new Error('The passkey has another id')
  return { credentialId: id, publicKey: isoBase64URL.fromBuffer(publicKey), counter, transports }
}

/**
 * No attestation was asked for, so none has certificates. To check one, the library would ask
 * servers that the certificate names.
 */
function requireNoCertificates(attestationObject: string): void {
  const attestation = decodeAttestationObject(isoBase64URL.toBuffer(attestationObject))
  const format = attestation.get('fmt')
  const isSelfMade = format === 'packed' && attestation.get('attStmt').get('x5c') === undefined
  if (format !== 'none' && !isSelfMade) throw new Error('No attestation was asked for')
}

async function assert({ expected, response, passkey }: CheckOf<'assertion'>): Promise<NewPasskey> {
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response,
    ...expectationsOf(expected),
    credential: {
      id: passkey.credentialId,
      publicKey: isoBase64URL.toBuffer(passkey.publicKey),
      counter: passkey.counter,
    },
  })
  if (!verified) throw new Error('The signature is not right')
  return { ...passkey, counter: authenticationInfo.newCounter, transports: [] }
}

/** The password was shown too, so a passkey that only asks for a touch is enough. */
function expectationsOf({ challenge, origin, rpId }: PasskeyCheck['expected']) {
  return {
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: rpId,
    requireUserVerification: false,
  }
}
