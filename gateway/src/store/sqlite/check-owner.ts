import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { WrongUserError } from '../errors.ts'

/**
 * Rejects root when the database belongs to another user. Root would replace the key file or the
 * database with one of its own, and the gateway could no longer read it.
 * @param uid of the user that this process runs as; undefined on a system without user ids
 * @throws WrongUserError
 */
export function checkOwner(path: string, uid: number | undefined = process.getuid?.()): void {
  if (uid !== 0) return
  const owner = (
    statSync(path, { throwIfNoEntry: false }) ?? statSync(dirname(path), { throwIfNoEntry: false })
  )?.uid
  if (owner !== undefined && owner !== 0) throw new WrongUserError(path, owner)
}
