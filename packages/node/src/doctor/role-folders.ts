import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { readDataIdentity } from '@keelson/runtime'

/** Returns the roles' subfolders, or `folder` itself if it belongs to a role or has none. */
export async function roleFolders(folder: string): Promise<readonly string[]> {
  if (await isRole(folder)) return [folder]
  const names = (await readdir(folder, { withFileTypes: true }).catch(() => [])).filter((entry) => entry.isDirectory())
  const inside: string[] = []
  for (const { name } of names) if (await isRole(join(folder, name))) inside.push(join(folder, name))
  return inside.length === 0 ? [folder] : inside
}

/** A damaged identity counts too; the folder's check reports it. */
function isRole(folder: string): Promise<boolean> {
  return readDataIdentity(folder).then(
    (identity) => identity !== null,
    () => true,
  )
}
