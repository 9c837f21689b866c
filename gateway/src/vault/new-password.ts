import { NEW_PASSWORD_LENGTH_MIN } from 'schema'
import { PasswordTooCommonError, PasswordTooShortError } from './errors.ts'

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
