import { randomInt } from 'node:crypto'
import { argon2id, hash, needsRehash, verify } from 'argon2'
import { PasswordQueueFullError } from './errors.ts'
import { createTurnstile, type TurnstileLane } from './turnstile.ts'

// OWASP Password Storage Cheat Sheet (2025): m=19 MiB, t=2, p=1. A hash takes about 25 ms and 19
// MiB.
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
const RUNNING_MAX = 2
const WAITING_MAX = 50

export type PasswordCost = typeof COST
/**
 * `reserved`: for people who are signed in, or who sign in from where they did before. `open`: for
 * anybody, who may come in floods.
 */
export type PasswordLane = TurnstileLane

/**
 * Hashes passwords with argon2id, two at a time: more would take CPU time from the exchanges'
 * lanes. At most 50 wait in each lane; beyond that, all methods that hash throw a
 * PasswordQueueFullError.
 */
export function createPasswords(cost: PasswordCost = COST) {
  const unknownHash = unknownHashOf(cost)
  const turnstile = createTurnstile({
    runningMax: RUNNING_MAX,
    waitingMax: WAITING_MAX,
    full: () => new PasswordQueueFullError(),
  })
  const check = (kept: string, password: string, lane: PasswordLane = 'open') =>
    turnstile.pass(() => verify(kept, canonical(password)), lane)

  return {
    /** The hash to store, in PHC format with its salt and cost. */
    async hash(password: string, lane: PasswordLane = 'reserved'): Promise<string> {
      return turnstile.pass(() => hash(canonical(password), { type: argon2id, ...cost }), lane)
    },

    async verify(password: string, kept: string, lane?: PasswordLane): Promise<boolean> {
      return check(kept, password, lane)
    },

    /**
     * Whether the hash has another cost than new ones: hash the password again once it is verified.
     */
    needsRehash(kept: string): boolean {
      return needsRehash(kept, cost)
    },

    /**
     * Takes as long as `verify`, so that an unknown e-mail gets no faster response than a wrong
     * password.
     */
    async burn(password: string, lane?: PasswordLane): Promise<void> {
      await check(unknownHash, password, lane)
    },
  }
}
export type Passwords = ReturnType<typeof createPasswords>

/**
 * A hash of the same cost, so that verifying takes the same time. Its digest is random and matches
 * no password.
 */
function unknownHashOf({ memoryCost, timeCost, parallelism }: PasswordCost): string {
  return (
    `$argon2id$v=19$m=${memoryCost},p=${parallelism},t=${timeCost}` +
    '$P4Zaz842gT5mDP8Z2IXvyA$i8es78Rt32qxMVfds2uo1ex/hHPkvND7VX2rMbcdkAM'
  )
}

/**
 * A password of 100 random bits that can be read aloud: four groups of five characters, without 0,
 * 1, l and o.
 */
export function generatePassword(): string {
  const letters = 'abcdefghijkmnpqrstuvwxyz23456789'
  const group = () => Array.from({ length: 5 }, () => letters[randomInt(letters.length)]).join('')
  return [group(), group(), group(), group()].join('-')
}

// The same password typed on two systems may have different code points (NIST SP 800-63B, 5.1.1.2).
function canonical(password: string): string {
  return password.normalize('NFKC')
}
