/** Copies folders with a list of their files, so that a copy can be checked later. */
import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { copyFile, lstat, mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Most files are small, and waiting for each in turn takes longer than reading it. */
const CONCURRENT = 16

export interface CopiedFile {
  /** Relative to the copied folder, with `/`. */
  readonly path: string
  readonly bytes: number
  readonly sha256: string
}

export interface Tree {
  readonly folders: readonly string[]
  readonly files: readonly string[]
  readonly bytes: number
}

/** Leaves out sockets and other special files. */
export async function readTree(root: string, names: readonly string[]): Promise<Tree> {
  const folders: string[] = []
  const files: string[] = []
  let bytes = 0
  const visit = async (path: string): Promise<void> => {
    const found = await lstat(join(root, path)).catch(() => null)
    if (found === null) return
    if (found.isFile()) {
      files.push(path)
      bytes += found.size
    } else if (found.isDirectory()) {
      folders.push(path)
      for (const name of (await readdir(join(root, path))).sort()) await visit(`${path}/${name}`)
    }
  }
  for (const name of names) await visit(name)
  return { folders, files, bytes }
}

/** Keeps permissions, because some folders hold keys. */
export async function copyTree(
  from: string,
  to: string,
  { folders, files }: Pick<Tree, 'folders' | 'files'>,
): Promise<readonly CopiedFile[]> {
  for (const folder of folders) await mkdir(join(to, folder), { recursive: true, mode: (await lstat(join(from, folder))).mode & 0o777 })
  const copyOne = async (path: string): Promise<CopiedFile> => {
    await copyFile(join(from, path), join(to, path), constants.COPYFILE_FICLONE)
    return { path, ...(await digestOf(join(to, path))) }
  }
  const copied: CopiedFile[] = []
  for (let i = 0; i < files.length; i += CONCURRENT) copied.push(...(await Promise.all(files.slice(i, i + CONCURRENT).map(copyOne))))
  return copied
}

async function digestOf(file: string): Promise<Pick<CopiedFile, 'bytes' | 'sha256'>> {
  const content = await readFile(file)
  return { bytes: content.length, sha256: createHash('sha256').update(content).digest('hex') }
}
