import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Returns `folder`, or the nearest folder above it that exists. */
export async function existingParent(folder: string): Promise<string> {
  const there = await stat(folder).then(
    () => true,
    () => false,
  )
  const parent = dirname(folder)
  return there || parent === folder ? folder : existingParent(parent)
}
