import type { AdminRow } from './admin-store.ts'

/** Whether a change leaves an admin as it was. */
export function isSame(before: AdminRow, after: AdminRow): boolean {
  return (['role', 'disabledAtMs', 'passwordHash'] as const).every(
    (column) => before[column] === after[column],
  )
}

/** Whether somebody can sign in and has the role `admin`. */
export const isAdmin = ({ role, disabledAtMs }: AdminRow): boolean =>
  role === 'admin' && disabledAtMs === null
