/** The data folders that a given one stands for. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { readDataIdentity } from '@keelson/runtime'

/**
 * A role's own folder as it is. A folder that holds those of roles, as `devnet.json` names the sequencer's, stands for them:
 * `execution` and `consensus`. One that holds neither, for itself: it may be new.
 */
export async function roleFolders(folder: string): Promise<readonly string[]> {
  if (await isRole(folder)) return [folder]
  const names = (await readdir(folder, { withFileTypes: true }).catch(() => [])).filter((entry) => entry.isDirectory())
  const inside: string[] = []
  for (const { name } of names) if (await isRole(join(folder, name))) inside.push(join(folder, name))
  return inside.length === 0 ? [folder] : inside
}

/** A damaged identity counts: the check of the folder says what is wrong with it. */
function isRole(folder: string): Promise<boolean> {
  return readDataIdentity(folder).then(
    (identity) => identity !== null,
    () => true,
  )
}
