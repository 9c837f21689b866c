import { createHmac, type KeyObject, randomInt } from 'node:crypto'
import { argon2id, hash, needsRehash, verify } from 'argon2'
import { NEW_PASSWORD_LENGTH_MIN } from 'schema'
import { PasswordQueueFullError, PasswordTooCommonError, PasswordTooShortError } from './errors.ts'
import { deriveKey } from './master-key.ts'

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
  return Array.from({ length: 4 }, randomGroup).join('-')
}

// The same password typed on two systems may have different code points (NIST SP 800-63B, 5.1.1.2).
function canonical(password: string): string {
  return password.normalize('NFKC')
}

interface TurnstileOptions {
  runningMax: number
  /** In each lane. */
  waitingMax: number
  /** Creates the error for a caller who finds every place taken. */
  full: () => Error
}

/** Tasks of the reserved lane go first, and others cannot take their places. */
type TurnstileLane = 'reserved' | 'open'

/**
 * Limits how many tasks run at once and how many wait; those of a lane run in the order in which
 * they came.
 */
export function createTurnstile({ runningMax, waitingMax, full }: TurnstileOptions) {
  const waiting: Record<TurnstileLane, Array<() => void>> = { reserved: [], open: [] }
  let running = 0

  return {
    /** Runs the task when its turn comes. @throws the error of `full` when no more may wait */
    async pass<T>(work: () => Promise<T>, lane: TurnstileLane = 'open'): Promise<T> {
      if (running < runningMax) running++
      else if (waiting[lane].length < waitingMax)
        await new Promise<void>((go) => waiting[lane].push(go))
      else throw full()
      try {
        return await work()
      } finally {
        // The place is handed over directly, so that a newcomer cannot take it.
        const next = waiting.reserved.shift() ?? waiting.open.shift()
        if (next === undefined) running--
        else next()
      }
    },
  }
}

/** What somebody may add around a common password without making it a better one. */
const ADDED_MAX = 8
/** A password that repeats something this short is as easy to guess. */
const UNIT_MIN = 4
/** Letters that people replace by what looks like them. */
const LOOKALIKES: Readonly<Record<string, string>> = {
  ...{ '0': 'o', '1': 'i', '3': 'e', '4': 'a', '5': 's', '7': 't', '@': 'a', $: 's', '!': 'i' },
}

let common: Promise<ReadonlySet<string>> | undefined

/** The 49,000 most common passwords, loaded when the first new password is checked. */
async function loadCommon(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  return new Set(dictionary['passwords-common'].map(String))
}

/**
 * Checks a password that is set now: its length, and that it is none of the common ones, with or
 * without digits around it or lookalikes in it (NIST SP 800-63B, 3.1.1.2).
 * @throws PasswordTooShortError, PasswordTooCommonError
 */
export async function requireGoodPassword(password: string, email: string): Promise<void> {
  const text = password.normalize('NFKC').toLowerCase()
  if ([...text].length < NEW_PASSWORD_LENGTH_MIN) throw new PasswordTooShortError()
  common ??= loadCommon()
  const guessed = await common
  const names = namesIn(email.toLowerCase())
  const isGuessed = formsOf(text).some((form) => guessed.has(form) || names.has(form))
  if (isGuessed || unitOf(text).length < UNIT_MIN || isSequence(text))
    throw new PasswordTooCommonError()
}

/** The e-mail address, its parts, and the name of this product. */
function namesIn(email: string): ReadonlySet<string> {
  const [local = '', domain = ''] = email.split('@')
  return new Set(
    [email, local, domain, ...domain.split('.'), 'sluice'].filter((name) => name !== ''),
  )
}

/** A password and what it repeats: without some of what is around their letters, as letters too. */
function formsOf(text: string): string[] {
  const parts = [text, unitOf(text)].flatMap(partsOf)
  return [...parts, ...parts.map(withLetters)]
}

function withLetters(text: string): string {
  return [...text].map((character) => LOOKALIKES[character] ?? character).join('')
}

/** The text without up to eight of the characters before and after its letters. */
function partsOf(text: string): string[] {
  const before = Math.min(text.search(/\p{L}/u), ADDED_MAX)
  const after = Math.min(/\P{L}*$/u.exec(text)?.[0].length ?? 0, ADDED_MAX)
  if (before < 0) return [text]
  const parts: string[] = []
  for (let start = 0; start <= before; start += 1)
    for (let end = 0; end <= Math.min(after, ADDED_MAX - start); end += 1)
      parts.push(text.slice(start, text.length - end))
  return parts
}

/** The shortest text of which the whole is a repetition. */
function unitOf(text: string): string {
  return /^(.+?)\1+$/su.exec(text)?.[1] ?? text
}

/** `abcdefghijkl`, `987654321098`: each character is the next, or each is the one before. */
function isSequence(text: string): boolean {
  const codes = [...text].map((character) => character.codePointAt(0) ?? 0)
  const steps = codes.slice(1).map((code, index) => code - (codes[index] ?? 0))
  const isStep = (step: number, by: number) => step === by || step === -9 * by
  return [1, -1].some((by) => steps.every((step) => isStep(step, by)))
}

/** How many codes a person gets at once. */
const RECOVERY_CODES = 10

const LETTERS = 'abcdefghijkmnpqrstuvwxyz23456789'
const GROUP = 5

/** Five random characters, 25 bits, that can be read from paper: without 0, 1, l and o. */
function randomGroup(): string {
  return Array.from({ length: GROUP }, () => LETTERS[randomInt(LETTERS.length)]).join('')
}

/**
 * Creates and hashes the recovery codes of administrators. A code has 50 random bits. Its hash is
 * an HMAC-SHA256 with a key that is not in the database: a copy of the database is not enough to
 * guess one.
 * @param key of this database, see `clientSecretKey`; another key is derived from it
 */
export function createRecoveryCodes({ key }: { key: KeyObject }) {
  const hashKey = deriveKey(key, 'recovery code')

  return {
    /** Ten codes, to be shown once. */
    make(): string[] {
      return Array.from({ length: RECOVERY_CODES }, () => `${randomGroup()}-${randomGroup()}`)
    },

    /** Of a code as it was typed: upper case, spaces and dashes make no difference. */
    hashOf(adminId: number, code: string): string {
      const letters = code.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
      return createHmac('sha256', hashKey).update(`${adminId} ${letters}`).digest('base64url')
    },
  }
}
