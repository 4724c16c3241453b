/** Reads what a block is about to need from disk in another thread, into the cache of the disk layer. */
import type { Bytes20 } from '@keelson/primitives'
import { decodeFlatAccount } from '../account-codec.ts'
import { ACCOUNT_NODE_PREFIX, BUCKETS, bucketKey } from '../buckets.ts'
import { bytesToKey, keyToBytes } from '../byte-key.ts'
import type { Hasher } from '../hasher.ts'
import type { StateReader } from '../state-reader.ts'
import { bytesToNibbles } from '../trie/nibbles.ts'
import { isHashReference } from '../trie/node.ts'
import { PackedBranch } from '../trie/packed-branch.ts'
import type { DiskLayer } from './disk-layer.ts'

/** Promises never reject: a failed read is repeated, and reported, by whoever needs the value. */
export interface Prefetch {
  readonly accounts: Promise<void>
  readonly nodes: Promise<void>
}

export type ReadMany = (keys: readonly Uint8Array[]) => Promise<readonly (Uint8Array | null)[]>

export const NOTHING_TO_READ: Prefetch = { accounts: Promise.resolve(), nodes: Promise.resolve() }

/** A node that is not cached is read together with the one below it. */
const LEVELS_AT_ONCE = 2

export function prefetchAccounts(
  readMany: ReadMany,
  disk: DiskLayer,
  view: StateReader,
  addresses: readonly Bytes20[],
  hash: Hasher,
): Prefetch {
  const { cache } = disk
  const unknown = new Set<string>()
  const keys: Uint8Array[] = []
  const paths: string[] = []
  for (const address of addresses) {
    const name = bytesToKey(address)
    if (unknown.has(name)) continue
    const addressHash = hash(address)
    paths.push(bytesToKey(bytesToNibbles(addressHash)))
    if (view.knowsAccount(name)) continue
    unknown.add(name)
    keys.push(bucketKey(BUCKETS.account, addressHash))
  }
  const names = [...unknown]
  const nodes = missingNodes(view, paths.sort())
  return {
    accounts: readInto(readMany, disk, keys, (i, value) =>
      cache.accounts.set(names[i] as string, value === null ? null : decodeFlatAccount(value)),
    ),
    nodes: readInto(readMany, disk, nodes.map(keyToBytes), (i, rlp) => {
      if (rlp !== null) cache.nodes.set(nodes[i] as string, rlp)
    }),
  }
}

async function readInto(
  readMany: ReadMany,
  disk: DiskLayer,
  keys: readonly Uint8Array[],
  keep: (index: number, value: Uint8Array | null) => void,
): Promise<void> {
  const { block, generation, cache } = disk
  if (keys.length === 0) return
  let values: readonly (Uint8Array | null)[]
  try {
    values = await readMany(keys)
  } catch {
    return
  }
  // The disk layer may have left the state that these values belong to.
  if (disk.block !== block || disk.generation !== generation || disk.goingBack || disk.cache !== cache) return
  const { pending } = disk
  for (const [i, value] of values.entries()) {
    if (pending === null || !pending.replaced.has(bytesToKey(keys[i] as Uint8Array))) keep(i, value)
  }
}

/** `paths` are sorted, so that a branch is opened once for all paths through it. */
function missingNodes(view: StateReader, paths: readonly string[]): string[] {
  const missing: string[] = []
  const open: PackedBranch[] = []
  const wanted: string[] = []
  let last = ''
  for (const path of paths) {
    let shared = 0
    while (shared < path.length && last.charCodeAt(shared) === path.charCodeAt(shared)) shared++
    open.length = Math.min(open.length, shared + 1)
    last = path
    for (let depth = open.length; ; depth++) {
      const above = open[depth - 1]
      const child = above?.child(path.charCodeAt(depth - 1))
      if (child === null || (child !== undefined && !isHashReference(child))) break
      const rlp = view.knownAccountNode(path.slice(0, depth))
      if (rlp === undefined) {
        for (let below = depth; below < depth + LEVELS_AT_ONCE; below++) {
          const key = ACCOUNT_NODE_PREFIX + path.slice(0, below)
          if (wanted[below] === key) continue
          wanted[below] = key
          missing.push(key)
        }
        break
      }
      const branch = rlp === null ? null : PackedBranch.open(rlp)
      if (branch === null) break
      open.push(branch)
    }
  }
  return missing
}
