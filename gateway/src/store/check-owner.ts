import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { WrongUserError } from './errors.ts'

/**
 * Refuses root beside a database of another user: the key file or the database that root puts in the place of another
 * belongs to root, and the gateway could not read it any more.
 *
 * @param uid of the user that this process runs as; undefined on a system without such numbers
 * @throws WrongUserError
 */
export function checkOwner(path: string, uid: number | undefined = process.getuid?.()): void {
  if (uid !== 0) return
  const owner = (
    statSync(path, { throwIfNoEntry: false }) ?? statSync(dirname(path), { throwIfNoEntry: false })
  )?.uid
  if (owner !== undefined && owner !== 0) throw new WrongUserError(path, owner)
}
