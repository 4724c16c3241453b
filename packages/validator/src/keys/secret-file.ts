import { chmod, open, readFile, rename, stat, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { keyError } from './key-file-error.ts'

const OWNER_ONLY = 0o600

/** Throws ValidatorError `consensus/validator-key` when others may read the file, or when it is too large or missing. */
export async function readSecretFile(path: string, maxBytes: number): Promise<string> {
  try {
    const { mode, size } = await stat(path)
    if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
      throw keyError(`others can use ${path} (mode ${(mode & 0o777).toString(8)}, expected 600): chmod 600 ${path}`)
    }
    if (size > maxBytes) throw keyError(`${path} has ${size} bytes, at most ${maxBytes}; it is not what it should be`)
    return await readFile(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'EISDIR') throw keyError(`there is no file at ${path}`, error)
    throw error
  }
}

/** Writes with mode 600 and syncs. Throws ValidatorError `consensus/validator-key` when the file exists without `replace`. */
export async function writeSecretFile(path: string, text: string, { replace = false } = {}): Promise<void> {
  if (!replace && (await exists(path)))
    throw keyError(`there is a file at ${path} already; it is not overwritten: move it away, or name another`)
  const temporary = join(dirname(path), `.${basename(path)}.new`)
  await unlink(temporary).catch(() => undefined)
  const file = await open(temporary, 'wx', OWNER_ONLY)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
  await chmod(temporary, OWNER_ONLY)
  await rename(temporary, path)
  await syncFolder(dirname(path))
}

/** Makes a new or removed name survive a power cut. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}
