import { randomInt } from 'node:crypto'
import { argon2id, hash, needsRehash, verify } from 'argon2'
import { PasswordQueueFullError } from './errors.ts'
import { createTurnstile } from './turnstile.ts'

// OWASP Password Storage Cheat Sheet (2025): m=19 MiB, t=2, p=1. About 25 ms and 19 MiB each.
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
const RUNNING_MAX = 2
const WAITING_MAX = 50

// Made of the same cost, so that it takes the same time; its digest was drawn at random and fits no
// password.
const unknownHash =
  `$argon2id$v=19$m=${cost.memoryCost},p=${cost.parallelism},t=${cost.timeCost}` +
  '$P4Zaz842gT5mDP8Z2IXvyA$i8es78Rt32qxMVfds2uo1ex/hHPkvND7VX2rMbcdkAM'

/**
 * Hashes passwords with argon2id, two at a time: more would take the cores from the lanes. At most
 * 50 wait, and all methods that hash throw a PasswordQueueFullError beyond that.
 */
export function createPasswords() {
  const turnstile = createTurnstile({
    runningMax: RUNNING_MAX,
    waitingMax: WAITING_MAX,
    full: () => new PasswordQueueFullError(),
  })
  const check = (kept: string, password: string) =>
    turnstile.pass(() => verify(kept, canonical(password)))

  return {
    /** The hash to keep, in PHC form with its salt and cost. */
    async hash(password: string): Promise<string> {
      return turnstile.pass(() => hash(canonical(password), { type: argon2id, ...cost }))
    },

    async verify(password: string, kept: string): Promise<boolean> {
      return check(kept, password)
    },

    /** Whether the hash was made at another cost: hash the password anew once it was verified. */
    needsRehash(kept: string): boolean {
      return needsRehash(kept, cost)
    },

    /**
     * Takes as long as `verify`, so that an unknown e-mail answers no faster than a wrong password.
     */
    async burn(password: string): Promise<void> {
      await check(unknownHash, password)
    },
  }
}
export type Passwords = ReturnType<typeof createPasswords>

/**
 * A password of 100 random bits that can be read out: four groups of five, without 0, 1, l and o.
 */
export function generatePassword(): string {
  const letters = 'abcdefghijkmnpqrstuvwxyz23456789'
  const group = () => Array.from({ length: 5 }, () => letters[randomInt(letters.length)]).join('')
  return [group(), group(), group(), group()].join('-')
}

// The same password typed on two systems may differ in its code points (NIST SP 800-63B, 5.1.1.2).
function canonical(password: string): string {
  return password.normalize('NFKC')
}
