import { textOf } from './untrusted.ts'

const MAY_WITHDRAW =
  'This key may withdraw. Sluice never withdraws; create a key without that permission.'
const MAY_BE_UNKNOWN =
  'It is not known whether this key may withdraw: the exchange did not say so in words that Sluice knows. Look at the key at the exchange.'

/** Stands for an entry that is no text: what it permits is not known. */
const UNREADABLE = 'unreadable'

/** The names of permissions in an exchange's response: a list, or a text with commas. */
export function permissionNames(value: unknown): string[] {
  const names: unknown[] =
    typeof value === 'string' ? value.split(',') : Array.isArray(value) ? value : []
  return names
    .map((name) => (name === '' ? '' : (textOf(name) ?? UNREADABLE)).trim().slice(0, 50))
    .filter((name) => name !== '')
    .slice(0, 50)
}

/** How an exchange names permissions. */
export interface PermissionWords {
  readonly withdraws: RegExp
  /** Names that are known not to be about withdrawing. */
  readonly harmless: RegExp
}

/**
 * Whether a key with these permissions may withdraw; null when that is unknown: no permission is
 * named, or one is that nobody here knows.
 */
export function mayWithdraw(
  names: readonly string[],
  { withdraws, harmless }: PermissionWords,
): boolean | null {
  if (names.some((name) => withdraws.test(name))) return true
  return names.length > 0 && names.every((name) => harmless.test(name)) ? false : null
}

/** The warning about a key that may withdraw, or may for all that is known. */
export function withdrawalWarnings(canWithdraw: boolean | null): string[] {
  if (canWithdraw === false) return []
  return [canWithdraw === true ? MAY_WITHDRAW : MAY_BE_UNKNOWN]
}
