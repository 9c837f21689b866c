export const WITHDRAWAL_WARNING =
  'This key may withdraw. Sluice never withdraws; create a key without that permission.'

/** The names of permissions in an exchange's response: a list, or a text with commas. */
export function permissionNames(value: unknown): string[] {
  const names = typeof value === 'string' ? value.split(',') : Array.isArray(value) ? value : []
  return names
    .map((item) => String(item).trim().slice(0, 50))
    .filter((name) => name !== '')
    .slice(0, 50)
}
