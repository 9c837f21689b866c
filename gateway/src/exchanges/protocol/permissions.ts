export const WITHDRAWAL_WARNING =
  'This key may withdraw. Sluice never withdraws; create a key without that permission.'

/** The names of permissions in an exchange's response. */
export function permissionNames(value: unknown): string[] {
  return Array.isArray(value) ? value.map((item) => String(item).slice(0, 50)).slice(0, 50) : []
}
