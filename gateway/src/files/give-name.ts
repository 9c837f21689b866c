import { link, rename } from 'node:fs/promises'
import { statOf } from './stat-of.ts'

/**
 * Gives a file a name that no other file has. It keeps its old name too where the file system knows links; some,
 * mounted shares among them, know none: there it is renamed.
 * @throws EEXIST when the name is taken: nothing is ever replaced
 */
export async function giveName(path: string, name: string): Promise<void> {
  await link(path, name).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST' || (await statOf(name)) !== undefined) throw error
    await rename(path, name)
  })
}
