import { readdirSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'

export interface FolderProblem {
  readonly path: string
  readonly message: string
}

export interface FolderListing {
  readonly paths: readonly string[]
  readonly problems: readonly FolderProblem[]
}

const MAX_FILES = 200_000

export function listFiles(root: string): FolderListing {
  const paths: string[] = []
  const problems: FolderProblem[] = []
  const walk = (path: string, above: readonly string[]): void => {
    const real = realpathSync(join(root, path))
    if (above.includes(real)) {
      problems.push({ path, message: `a link back to ${real}` })
      return
    }
    const names = readdirSync(real).sort()
    if (names.length === 0 && path !== '') problems.push({ path, message: 'an empty folder' })
    for (const name of names) visit(path === '' ? name : `${path}/${name}`, [...above, real])
  }
  const visit = (path: string, above: readonly string[]): void => {
    const stat = statSync(join(root, path), { throwIfNoEntry: false })
    if (stat === undefined) problems.push({ path, message: 'a link that leads nowhere' })
    else if (stat.isDirectory()) walk(path, above)
    else if (!stat.isFile()) problems.push({ path, message: 'neither a file nor a folder' })
    else if (paths.push(path) > MAX_FILES) throw new Error(`${root}: more than ${MAX_FILES} files; is this a folder of vectors?`)
  }
  walk('', [])
  return { paths, problems }
}
