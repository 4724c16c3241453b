/** Copies of a stopped network. A copy gets its name when it is complete, so an unfinished one cannot be restored. */
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CLOCK_FILE } from '../clocks/network-clock.ts'
import { DevnetError } from '../devnet-error.ts'
import { type DevnetPaths, devnetPaths } from '../roles/devnet-paths.ts'
import { type CopiedFile, copyTree, readTree } from './copy-tree.ts'
import { assertRoom } from './disk-room.ts'
import { assertSnapshotName } from './snapshot-name.ts'

export interface Snapshot {
  readonly name: string
  readonly takenMs: number
  readonly bytes: number
}

interface Manifest {
  readonly layout: typeof LAYOUT
  readonly takenMs: number
  readonly folders: readonly string[]
  readonly files: readonly CopiedFile[]
}

const LAYOUT = 1
const MANIFEST = 'snapshot.json'
const CONTENT = 'content'
const UNFINISHED = '.unfinished'
/** Lists what replaces the network's folders; written when all of it is there. */
const COMPLETE = 'complete'

/** The logs stay, because they explain what happened. */
function keptNames(folder: string): readonly string[] {
  const { folder: root, logs, ...kept } = devnetPaths(folder) satisfies DevnetPaths
  return [...Object.values(kept).map((path) => path.slice(root.length + 1)), CLOCK_FILE]
}

const snapshotsOf = (folder: string) => join(folder, 'snapshots')
const incomingOf = (folder: string) => join(folder, 'restoring')

export async function listSnapshots(folder: string): Promise<readonly Snapshot[]> {
  const names = (await readdir(snapshotsOf(folder)).catch(() => [] as string[])).filter((name) => !name.startsWith('.')).sort()
  return Promise.all(
    names.map(async (name) => {
      const { takenMs, files } = await readManifest(folder, name)
      return { name, takenMs, bytes: files.reduce((sum, { bytes }) => sum + bytes, 0) }
    }),
  )
}

/** Can run beside the network. Throws DevnetError `node/usage` or `node/disk`. */
export async function assertCanTake(folder: string, name: string): Promise<void> {
  assertSnapshotName(name)
  if (existsSync(join(snapshotsOf(folder), name)))
    throw new DevnetError(
      'node/usage',
      `there is a snapshot "${name}" already: choose another name, or delete ${join(snapshotsOf(folder), name)}`,
    )
  const { bytes } = await readTree(folder, keptNames(folder))
  if (bytes === 0) throw new DevnetError('node/usage', `there is no network in ${folder}: start one with npm start`)
  await assertRoom(folder, bytes)
}

/** The network must be stopped. */
export async function takeSnapshot(folder: string, name: string, takenMs: number): Promise<Snapshot> {
  await assertCanTake(folder, name)
  const unfinished = join(snapshotsOf(folder), UNFINISHED)
  await rm(unfinished, { recursive: true, force: true })
  await mkdir(join(unfinished, CONTENT), { recursive: true, mode: 0o700 })
  const tree = await readTree(folder, keptNames(folder))
  const files = await copyTree(folder, join(unfinished, CONTENT), tree)
  const manifest: Manifest = { layout: LAYOUT, takenMs, folders: tree.folders, files }
  await writeFile(join(unfinished, MANIFEST), JSON.stringify(manifest))
  await rename(unfinished, join(snapshotsOf(folder), name))
  return { name, takenMs, bytes: tree.bytes }
}

/**
 * Copies a snapshot beside the network and checks every file; the network may run. Throws DevnetError `node/usage` for an unknown
 * name, `node/snapshot` for a damaged copy, `node/disk`.
 */
export async function stageSnapshot(folder: string, name: string): Promise<void> {
  assertSnapshotName(name)
  const manifest = await readManifest(folder, name)
  await assertRoom(
    folder,
    manifest.files.reduce((sum, { bytes }) => sum + bytes, 0),
  )
  const incoming = incomingOf(folder)
  await rm(incoming, { recursive: true, force: true })
  const tree = { folders: manifest.folders, files: manifest.files.map(({ path }) => path) }
  await mkdir(incoming, { recursive: true, mode: 0o700 })
  const copied = await copyTree(join(snapshotsOf(folder), name, CONTENT), incoming, tree).catch((cause: unknown) => {
    throw damaged(folder, name, 'a file is missing or cannot be read', cause)
  })
  for (const [i, { path, sha256 }] of copied.entries()) {
    if (sha256 !== manifest.files[i]?.sha256) throw damaged(folder, name, `${path} is not what was saved`)
  }
}

/** The network must be stopped. After a crash, `finishRestore` completes it. */
export async function restoreStaged(folder: string): Promise<void> {
  const incoming = incomingOf(folder)
  const names = await readdir(incoming)
  await writeFile(join(incoming, `${COMPLETE}.partial`), JSON.stringify(names))
  await rename(join(incoming, `${COMPLETE}.partial`), join(incoming, COMPLETE))
  await finishRestore(folder)
}

/** Completes a restore that a crash interrupted, and removes copies that were incomplete. */
export async function finishRestore(folder: string): Promise<void> {
  const incoming = incomingOf(folder)
  const restored = await readFile(join(incoming, COMPLETE), 'utf8').then(
    (text) => JSON.parse(text) as readonly string[],
    () => null,
  )
  for (const name of restored === null ? [] : keptNames(folder)) {
    const isMoved = restored?.includes(name) === true && !existsSync(join(incoming, name))
    if (isMoved) continue
    await rm(join(folder, name), { recursive: true, force: true })
    if (restored?.includes(name)) await rename(join(incoming, name), join(folder, name))
  }
  await rm(incoming, { recursive: true, force: true })
}

async function readManifest(folder: string, name: string): Promise<Manifest> {
  const path = join(snapshotsOf(folder), name)
  if (!existsSync(path)) {
    const names = (await listSnapshots(folder)).map((snapshot) => snapshot.name)
    const known = names.length === 0 ? 'there are none' : `there are ${names.join(', ')}`
    throw new DevnetError('node/usage', `there is no snapshot "${name}" of ${folder}; ${known}`)
  }
  try {
    const manifest = JSON.parse(await readFile(join(path, MANIFEST), 'utf8')) as Manifest
    if (manifest.layout === LAYOUT) return manifest
  } catch (cause) {
    throw damaged(folder, name, `${MANIFEST} cannot be read`, cause)
  }
  throw damaged(folder, name, 'it was written by another version')
}

function damaged(folder: string, name: string, why: string, cause?: unknown): DevnetError {
  const path = join(snapshotsOf(folder), name)
  return new DevnetError(
    'node/snapshot',
    `snapshot "${name}" cannot be restored: ${why}; delete ${path}. The network was not changed`,
    {},
    { cause },
  )
}
