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
  const derive = oncePerMasterKey(({ key }) => deriveKey(key, purpose))
  return {
    signing: async () => derive(await ring.current()),
    verifying: () => ring.keys().map(derive).toReversed(),
  }
}

/** A key that two nodes share because they have the same master key. */
export interface NodeKey {
  /** The id of the master key. It is sent in clear, and reveals nothing about the key. */
  readonly identity: string
  readonly psk: Buffer
}

export interface NodeKeys {
  /** What a node offers when it connects to another one: newest first. */
  offered(): readonly NodeKey[]
  /** The key of an identity; undefined when this node does not have the master key. */
  find(identity: string): NodeKey | undefined
}

/**
 * The keys by which the nodes of a group know each other: one for each master key in the ring, so
 * that a rotation does not separate nodes that have the new key from nodes that do not have it yet.
 */
export function createNodeKeys(ring: Pick<KeyRing, 'keys' | 'find'>): NodeKeys {
  const derive = oncePerMasterKey(({ key, keyId }) => ({
    identity: keyId,
    psk: deriveKey(key, 'node channel').export(),
  }))
  return {
    offered: () => ring.keys().map(derive).toReversed(),
    find(identity) {
      const master = ring.find(identity)
      return master === undefined ? undefined : derive(master)
    },
  }
}

function oncePerMasterKey<Derived>(
  derive: (master: MasterKey) => Derived,
): (master: MasterKey) => Derived {
  const derived = new WeakMap<MasterKey, Derived>()
  return (master) => {
    const known = derived.get(master) ?? derive(master)
    derived.set(master, known)
    return known
  }
}
