import type { KeyRing } from './key-ring.ts'
import { deriveKey, type MasterKey } from './master-key.ts'

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
  const derived = new WeakMap<MasterKey, NodeKey>()

  function derive(master: MasterKey): NodeKey {
    const known = derived.get(master)
    if (known !== undefined) return known
    const psk = deriveKey(master.key, 'node channel').export()
    const key = { identity: master.keyId, psk }
    derived.set(master, key)
    return key
  }

  return {
    offered: () => ring.keys().map(derive).toReversed(),
    find(identity) {
      const master = ring.find(identity)
      return master === undefined ? undefined : derive(master)
    },
  }
}
