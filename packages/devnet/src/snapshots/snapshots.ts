/**
 * Snapshots of a network that is stopped or frozen. Files are captured meanwhile, and compressed when it runs again. A snapshot gets
 * its name when it is complete, so an unfinished one cannot be restored.
 */

import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf } from '@keelson/primitives'
import { npmScript } from '@keelson/runtime'
import { CLOCK_FILE } from '../clocks/network-clock.ts'
import { DevnetError } from '../devnet-error.ts'
import { type DevnetPaths, devnetPaths } from '../roles/devnet-paths.ts'
import { assertRoom } from './disk-room.ts'
import { captureTree, readTree, type StoredFile, storeCompressed, storeTree, type Tree, unpackTree } from './file-tree.ts'
import { LAYOUT, type Manifest, parseSnapshotManifest } from './snapshot-manifest.ts'
import { assertSnapshotName } from './snapshot-name.ts'

export interface Snapshot {
  readonly name: string
  readonly takenMs: number
  /** On the disk, besides the tables that it shares with the network. */
  readonly bytes: number
}

const MANIFEST = 'snapshot.json'
const CONTENT = 'content'
const UNFINISHED = '.unfinished'
/** Lists what replaces the network's folders; written when all of it is there. */
const COMPLETE = 'complete'

/** anvil's own dump, and older ones for a start after a crash. */
const L1_STATE = 'l1/state.json'
const L1_SPARES = /^l1\/(state\.(whole|older)\.json|cache$|.*\.partial$)/

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
      return { name, takenMs, bytes: storedBytes(files) }
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
  const { bytes, files } = treeOf(folder, null)
  if (files.length === 0)
    throw new DevnetError('node/usage', `there is no network in ${folder}: start one with ${npmScript('start', folder)}`)
  await assertRoom(folder, bytes)
}

/**
 * The network must be stopped, or frozen with the state of its L1 in `l1State`, as a compressed dump of anvil. The function that it
 * returns completes the snapshot, beside the running network.
 */
export async function captureSnapshot(
  folder: string,
  name: string,
  { takenMs, l1State }: { readonly takenMs: number; readonly l1State: Uint8Array | null },
): Promise<() => Promise<Snapshot>> {
  const unfinished = join(snapshotsOf(folder), UNFINISHED)
  const content = join(unfinished, CONTENT)
  await rm(unfinished, { recursive: true, force: true })
  await mkdir(content, { recursive: true, mode: 0o700 })
  const tree = treeOf(folder, l1State)
  const captured = captureTree(folder, content, tree, takenMs)
  return async () => {
    const stored = await storeTree(content, captured)
    const files = l1State === null ? stored : [...stored, await storeCompressed(content, L1_STATE, l1State)]
    const manifest: Manifest = { layout: LAYOUT, takenMs, folders: tree.folders, files }
    await writeFile(join(unfinished, MANIFEST), JSON.stringify(manifest))
    await rename(unfinished, join(snapshotsOf(folder), name))
    return { name, takenMs, bytes: storedBytes(files) }
  }
}

function treeOf(folder: string, l1State: Uint8Array | null): Tree {
  return readTree(folder, keptNames(folder), (path) => l1State !== null && (path === L1_STATE || L1_SPARES.test(path)))
}

function storedBytes(files: readonly StoredFile[]): number {
  return files.reduce((sum, file) => sum + file.storedBytes, 0)
}

/**
 * Unpacks a snapshot beside the network and checks every file; the network may run. Throws DevnetError `node/usage` for an unknown
 * name, `node/snapshot` for a damaged copy, `node/disk`.
 */
export async function stageSnapshot(folder: string, name: string): Promise<void> {
  assertSnapshotName(name)
  const manifest = await readManifest(folder, name)
  await assertRoom(
    folder,
    manifest.files.reduce((sum, { bytes, isLinked }) => sum + (isLinked ? 0 : bytes), 0),
  )
  const incoming = incomingOf(folder)
  await rm(incoming, { recursive: true, force: true })
  await mkdir(incoming, { recursive: true, mode: 0o700 })
  const wrong = await unpackTree(join(snapshotsOf(folder), name, CONTENT), incoming, manifest).catch((cause: unknown) => {
    throw damaged(folder, name, 'a file is missing or cannot be read', cause)
  })
  if (wrong !== null) throw damaged(folder, name, `${wrong} is not what was saved`)
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
    const manifest = parseSnapshotManifest(await readFile(join(path, MANIFEST), 'utf8'))
    if (manifest !== null) return manifest
  } catch (cause) {
    throw damaged(folder, name, `${MANIFEST} cannot be read (${messageOf(cause)})`, cause)
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
