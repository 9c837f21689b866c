import { link, rename } from 'node:fs/promises'
import { statOf } from './stat-of.ts'

/**
 * Gives a file a name that no other file has. The old name stays where the file system supports
 * links. Where it does not, as on some mounted shares, the file is renamed.
 * @throws EEXIST when the name is taken: nothing is ever replaced
 */
export async function giveName(path: string, name: string): Promise<void> {
  await link(path, name).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST' || (await statOf(name)) !== undefined) throw error
    await rename(path, name)
  })
}
