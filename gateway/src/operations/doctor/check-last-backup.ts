import type { Config } from '../../config.ts'
import type { StoresBeside } from '../../store/stores-beside.ts'
import { readLastBackup } from '../record-backup.ts'
import { about, type Finding } from './finding.ts'

const ADVICE = 'docs/operations/backup.md says how to make backups, and how to schedule them.'

/** Says how old the last backup is that this database knows of. */
export async function checkLastBackup(
  { facts }: Pick<StoresBeside, 'facts'>,
  { backupMaxAgeMs }: Pick<Config, 'backupMaxAgeMs'>,
  nowMs: number,
): Promise<Finding> {
  const { ok, warn } = about('backup')
  const lastMs = await readLastBackup(facts)
  if (lastMs === undefined) return warn('none has been made', ADVICE)
  const found = `the last one is of ${new Date(lastMs).toISOString()}`
  return backupMaxAgeMs > 0 && nowMs - lastMs > backupMaxAgeMs
    ? warn(`${found}, older than BACKUP_MAX_AGE_HOURS allows`, ADVICE)
    : ok(found)
}
