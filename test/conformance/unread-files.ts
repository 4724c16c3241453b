/** Files that no group reads would look like passes. */
import type { ConformanceGroup } from './group.ts'
import type { FolderProblem } from './vectors/list-files.ts'
import { isDocumentation } from './vectors/vector-folder.ts'

const SHOWN_PER_FOLDER = 20

interface RunReads {
  readonly answered: ReadonlySet<string>
  readonly isWhole: boolean
  readonly taken: ReadonlySet<string>
}

export function findUnreadFiles(
  paths: readonly string[],
  groups: readonly ConformanceGroup[],
  { answered, isWhole, taken }: RunReads,
): FolderProblem[] {
  const unread = paths.filter((path) => {
    if (taken.has(path) || isDocumentation(path)) return false
    const owners = groups.filter(({ under }) => under.some((prefix) => path.startsWith(prefix)))
    return owners.length === 0 ? isWhole : owners.every(({ name }) => answered.has(name))
  })
  const byFolder = new Map<string, string[]>()
  for (const path of unread) {
    const [folder = ''] = path.includes('/') ? path.split('/') : ['']
    byFolder.set(folder, [...(byFolder.get(folder) ?? []), path])
  }
  return [...byFolder].flatMap(([folder, files]) => {
    const known = folder === '' || groups.some(({ under }) => under.some((prefix) => prefix.startsWith(`${folder}/`)))
    if (!known) return [{ path: folder, message: `an unknown group: none of its ${files.length} files has been read` }]
    const shown = files.slice(0, SHOWN_PER_FOLDER).map((path) => ({ path, message: 'not read by any group' }))
    const more = files.length - shown.length
    return more === 0 ? shown : [...shown, { path: folder, message: `${more} more files that no group reads` }]
  })
}
