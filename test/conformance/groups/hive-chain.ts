/** The chains that a network's test peers have: 3,000 and 999 blocks of proof of work, each executed by the import of exported chains. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { decodeBlock, rlpDecodeFirst } from '@keelson/primitives'
import type { ConformanceCase, ConformanceGroup } from '../group.ts'
import { openL1Node, request } from '../l1-node.ts'

const CHAINS = [
  { file: 'fullchain.rlp', blocks: 3000 },
  { file: 'halfchain.rlp', blocks: 999 },
]

async function importWhole(genesis: unknown, rlp: Uint8Array, blocks: number): Promise<void> {
  const node = await openL1Node(genesis)
  let count = 0
  let head = null as string | null
  for (let at = 0; at < rlp.length; count++) {
    const { end } = rlpDecodeFirst(rlp, at)
    const raw = rlp.slice(at, end)
    const verdict = await node.importExported(raw)
    assert.equal(verdict.kind, 'valid', `block ${count}: ${JSON.stringify(verdict)}`)
    head = decodeBlock(raw).hash
    at = end
  }
  assert.equal(count, blocks)
  const forkchoice = { headBlockHash: head, safeBlockHash: `0x${'00'.repeat(32)}`, finalizedBlockHash: `0x${'00'.repeat(32)}` }
  await request(node.engineMethods, { id: 1, method: 'engine_forkchoiceUpdatedV1', params: [forkchoice, null] })
  const latest = (await request(node.methods, { id: 2, method: 'eth_getBlockByNumber', params: ['latest', false] })) as { hash: string }
  assert.equal(latest.hash, head)
  await node.stop()
}

export const hiveChain: ConformanceGroup = {
  name: 'hive-chain',
  load(vectors): ConformanceCase[] {
    const directory = join(vectors, 'hive', 'devp2p-chain')
    const genesis = JSON.parse(readFileSync(join(directory, 'genesis.json'), 'utf8'))
    return CHAINS.map(({ file, blocks }) => {
      const rlp = new Uint8Array(readFileSync(join(directory, file)))
      return { id: file, run: () => importWhole(genesis, rlp, blocks) }
    })
  },
}
