import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Creates the folder too. After a crash the file has the old or the new text. */
export async function replaceFile(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  const temporary = `${path}.new`
  // Removed first, so that no symbolic link is followed.
  await rm(temporary, { force: true })
  const file = await open(temporary, 'wx', 0o644)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(temporary, path)
}
