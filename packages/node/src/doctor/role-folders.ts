import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { readDataIdentity } from '@keelson/runtime'

/** Returns the subfolders that belong to roles, or `folder` itself if it belongs to a role or has no such subfolder. */
export async function roleFolders(folder: string): Promise<readonly string[]> {
  if (await isRole(folder)) return [folder]
  const names = (await readdir(folder, { withFileTypes: true }).catch(() => [])).filter((entry) => entry.isDirectory())
  const inside: string[] = []
  for (const { name } of names) if (await isRole(join(folder, name))) inside.push(join(folder, name))
  return inside.length === 0 ? [folder] : inside
}

/** A folder with a damaged identity counts as a role's; the folder's check reports the damage. */
function isRole(folder: string): Promise<boolean> {
  return readDataIdentity(folder).then(
    (identity) => identity !== null,
    () => true,
  )
}
