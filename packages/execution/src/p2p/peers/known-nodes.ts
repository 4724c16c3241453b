/** Nodes of this chain that were reached, on disk, so that a restart needs no boot node. */
import { CodecError, rlpBytes, rlpDecode, rlpEncode, rlpList, utf8ToBytes } from '@keelson/primitives'
import type { KeyValueStore } from '@keelson/runtime'
import { createSubnetTable, subnetAt } from '@keelson/runtime/peers'
import { type NodeAddress, parseNode, showEnode } from './enode.ts'

export interface KnownNodes {
  /** Newest first. */
  load(): readonly NodeAddress[]
  reached(node: NodeAddress): void
  forget(id: string): void
  /** Writes only what has changed. */
  flush(): Promise<void>
}

const MAX_NODES = 500
const MAX_OF_SUBNET = 8
const MAX_STORED_BYTES = 256 * 1024

export function createKnownNodes(store: KeyValueStore, key: Uint8Array): KnownNodes {
  const nodes = createSubnetTable<NodeAddress>({ most: MAX_NODES, mostOfSubnet: MAX_OF_SUBNET })
  let changed = false
  return {
    load() {
      const stored = readTexts(store.getSync(key)).flatMap((text) => {
        const parsed = parseNode(text)
        return parsed.kind === 'node' ? [parsed.node] : []
      })
      for (const node of stored.toReversed()) nodes.set(node.id, subnetAt(node.host), node)
      return stored
    },
    reached(node) {
      nodes.set(node.id, subnetAt(node.host), node)
      changed = true
    },
    forget(id) {
      if (nodes.get(id) === undefined) return
      nodes.delete(id)
      changed = true
    },
    async flush() {
      if (!changed) return
      changed = false
      const texts = [...nodes.values()].reverse().map((node) => utf8ToBytes(showEnode(node)))
      await store.batch([{ put: key, value: rlpEncode(texts) }])
    },
  }
}

function readTexts(raw: Uint8Array | null): readonly string[] {
  if (raw === null || raw.length > MAX_STORED_BYTES) return []
  try {
    const decoder = new TextDecoder()
    return rlpList(rlpDecode(raw), 'known nodes').map((item) => decoder.decode(rlpBytes(item, 'a known node')))
  } catch (error) {
    if (error instanceof CodecError) return []
    throw error
  }
}
