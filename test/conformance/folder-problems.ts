import type { ConformanceGroup } from './group.ts'
import type { LoadedGroup } from './tally.ts'
import { findUnreadFiles } from './unread-files.ts'
import type { FolderListing, FolderProblem } from './vectors/list-files.ts'
import { compareWithManifest, type Manifest } from './vectors/manifest.ts'

interface CheckedFolder {
  readonly root: string
  readonly listing: FolderListing
  readonly manifest: Manifest
}

/** `ran` includes groups that failed to load. */
export function findFolderProblems(
  { root, listing, manifest }: CheckedFolder,
  groups: readonly ConformanceGroup[],
  ran: readonly string[],
  loaded: readonly LoadedGroup[],
): FolderProblem[] {
  const taken = new Set(loaded.flatMap((group) => group.taken))
  const isWhole = groups.length === ran.length
  const answered = new Set(loaded.map(({ name }) => name))
  const unread = findUnreadFiles(listing.paths, groups, { answered, isWhole, taken })
  const empty = loaded.filter(({ name, cases }) => cases === 0 && isPresent(groups, name, listing))
  const promised = compareCases(manifest, ran, loaded)
  const whole = isWhole ? [...listing.problems, ...compareWithManifest(root, listing.paths, manifest)] : []
  return [...whole, ...empty.map(({ name }) => ({ path: name, message: 'the folder of this group has no cases' })), ...promised, ...unread]
}

function isPresent(groups: readonly ConformanceGroup[], name: string, { paths }: FolderListing): boolean {
  const under = groups.find((group) => group.name === name)?.under ?? []
  const own = under.filter((prefix) => groups.every((other) => other.name === name || !other.under.includes(prefix)))
  return paths.some((path) => own.some((prefix) => path.startsWith(prefix)))
}

function compareCases({ cases }: Manifest, ran: readonly string[], loaded: readonly LoadedGroup[]): FolderProblem[] {
  const found = new Map(loaded.map((group) => [group.name, group.cases]))
  return Object.entries(cases)
    .filter(([name, count]) => ran.includes(name) && found.get(name) !== count)
    .map(([name, count]) => ({ path: name, message: `the manifest promises ${count} cases, found ${found.get(name) ?? 'none'}` }))
}
