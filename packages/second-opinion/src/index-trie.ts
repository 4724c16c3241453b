/** Yellow paper section 4.3.2 */
import { createMPT } from '@ethereumjs/mpt'
import { RLP } from '@ethereumjs/rlp'

export async function indexTrieRoot(values: readonly Uint8Array[]): Promise<Uint8Array> {
  const trie = await createMPT()
  for (const [index, value] of values.entries()) await trie.put(RLP.encode(index), value)
  return trie.root()
}
