/** Blocks as log lines and messages name them. */
import type { BlockId } from '@keelson/primitives'

export function describeBlock(block: BlockId): string {
  return `${block.number} (${block.hash.slice(0, 10)})`
}
