import { hexToBytes, toHash } from '@keelson/primitives'
import type { BlobArchive } from './blob-archive.ts'
import type { L1Block, L1Blocks } from './slot-clock.ts'

export interface BlobSource {
  blob(versionedHash: string): Promise<string | null>
}

export interface BlobCollector {
  /** Returns the number of archived blobs. */
  step(): Promise<number>
  collect(block: L1Block): Promise<number>
}

const MAX_BLOCKS_PER_STEP = 200
const REORG_DEPTH = 64

export function createBlobCollector(blocks: L1Blocks, source: BlobSource, archive: BlobArchive): BlobCollector {
  let next = 0
  let lastHash: string | null = null

  const reorganised = async () => lastHash !== null && (await blocks.byNumber(next - 1))?.hash !== lastHash

  async function collect(block: L1Block): Promise<number> {
    let added = 0
    for (const text of block.blobHashes) {
      const hash = toHash(text)
      if (await archive.has(hash)) continue
      const hex = await source.blob(hash)
      if (hex === null) continue
      await archive.put(hash, hexToBytes(hex))
      added++
    }
    return added
  }

  return {
    collect,
    async step() {
      const head = await blocks.headNumber()
      if (await reorganised()) {
        next = Math.max(0, Math.min(next, head) - REORG_DEPTH)
        lastHash = null
      }
      const last = Math.min(head, next + MAX_BLOCKS_PER_STEP - 1)
      let added = 0
      for (let number = next; number <= last; number++) {
        const block = await blocks.byNumber(number)
        if (block === null) break
        added += await collect(block)
        next = number + 1
        lastHash = block.hash
      }
      return added
    },
  }
}
