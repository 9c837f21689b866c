import type { AuditHead } from '../../store/audit-chain.ts'
import type { StoresBeside } from '../../store/stores-beside.ts'
import { about, type Finding } from './finding.ts'

/**
 * Verifies the audit trail: every hash, that no entry is missing, and that the database still
 * refuses to change it.
 * @param known entries that were seen before, in a backup or an alert
 */
export async function checkAudit(
  { audit, isAuditGuarded }: Pick<StoresBeside, 'audit' | 'isAuditGuarded'>,
  known: readonly AuditHead[],
): Promise<Finding> {
  const { ok, fail } = about('audit trail')
  const { entries, head, broken } = await audit.verify(known)
  if (broken !== undefined)
    return fail(
      `from entry ${broken.id} on it is not what was written: ${broken.problem}`,
      'Somebody changed the database. Keep it, and compare with the backups (docs/operations/audit.md). After a restore, newer entries are in the database that the restore kept.',
    )
  if (!(await isAuditGuarded()))
    return fail(
      'a trigger that protects it is missing or was changed',
      'Somebody changed the database. Restore a backup that has it (docs/operations/audit.md).',
    )
  if (head === undefined) return ok('it has no entries yet')
  const seen = known.length === 0 ? '' : ', and has the entries that were seen before'
  return ok(`${entries} entries are whole${seen}; the last is ${head.id}:${head.hash}`)
}
