/** Format: package README. */
import { bytesToKey } from '../byte-key.ts'
import { StateError } from '../errors.ts'

export type NodeChanges = ReadonlyMap<string, Uint8Array | null>

export interface PackedNodes {
  readonly packed: Uint8Array
  /** The changes again, with values that are views into `packed`. */
  readonly views: NodeChanges
}

export function packNodeChanges(changes: NodeChanges): PackedNodes {
  let size = 4
  for (const [key, rlp] of changes) size += 5 + key.length + (rlp?.length ?? 0)
  const packed = new Uint8Array(size)
  const view = new DataView(packed.buffer)
  const views = new Map<string, Uint8Array | null>()
  view.setUint32(0, changes.size)
  let at = 4
  for (const [key, rlp] of changes) {
    packed[at++] = key.length
    for (let i = 0; i < key.length; i++) packed[at++] = key.charCodeAt(i)
    view.setUint32(at, rlp?.length ?? 0)
    at += 4
    if (rlp === null) {
      views.set(key, null)
      continue
    }
    packed.set(rlp, at)
    views.set(key, packed.subarray(at, at + rlp.length))
    at += rlp.length
  }
  return { packed, views }
}

/** Values are views into `packed`. */
export function decodeNodeChanges(packed: Uint8Array): Map<string, Uint8Array | null> {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.length)
  const need = (end: number) => {
    if (end > packed.length) {
      throw new StateError('state/corrupt-record', 'critical', `trie nodes of ${packed.length} bytes end before byte ${end}`)
    }
  }
  need(4)
  const count = view.getUint32(0)
  const changes = new Map<string, Uint8Array | null>()
  let at = 4
  for (let i = 0; i < count; i++) {
    need(at + 1)
    const keyEnd = at + 1 + (packed[at] as number)
    need(keyEnd + 4)
    const length = view.getUint32(keyEnd)
    const end = keyEnd + 4 + length
    need(end)
    changes.set(bytesToKey(packed.subarray(at + 1, keyEnd)), length === 0 ? null : packed.subarray(keyEnd + 4, end))
    at = end
  }
  return changes
}
