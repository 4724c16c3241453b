import assert from 'node:assert/strict'
import type { ChainReader } from '@keelson/execution'
import type { Block, Hash } from '@keelson/primitives'
import { createExecutionWorld, type ExecutionWorld, type ExecutionWorldOptions } from './execution-world.ts'
import { type ListedPeer, servedChain } from './sync-peers.ts'
import { openSyncing } from './sync-world.ts'

export const LENGTH = 160
const BRANCH_AT = 140

/** Mines the chain before the tests of the suite in which it is called. */
export function mineFullSyncChain() {
  let source: ExecutionWorld
  /** Blocks of the source at each height; `branch` begins above `BRANCH_AT`. */
  const main: Block[] = []
  const branch: Block[] = []

  before(async function () {
    this.timeout(60_000)
    source = await createExecutionWorld()
    main.push(source.node.chain.block(source.genesis.hash) as Block)
    for (let number = 1; number <= LENGTH; number++) {
      const transactions = number % 4 === 0 ? [source.transfer(number % 5, `0x${'11'.repeat(20)}`, BigInt(number)).raw] : []
      main.push(await source.mine({ transactions }))
    }
    branch.push(...main.slice(0, BRANCH_AT + 1))
    for (let number = BRANCH_AT + 1; number <= LENGTH + 20; number++) {
      branch.push(await source.mine({ parent: (branch.at(-1) as Block).hash, setHead: false }))
    }
  })
  after(() => source.stop())

  const chain = () => servedChain(source.node.chain)
  const at = (number: number, blocks = main) => blocks[number] as Block
  const open = (peers: readonly ListedPeer[], options: ExecutionWorldOptions = {}) => openSyncing(peers, options)

  function assertSame(world: ExecutionWorld, blocks: readonly Block[], upTo: number): void {
    const read = (reader: ChainReader, hash: Hash) => ({ block: reader.block(hash), receipts: reader.receipts(hash) })
    for (const { hash, header } of blocks.slice(0, upTo + 1)) {
      assert.equal(world.node.chain.canonicalHash(header.number), hash, `block ${header.number}`)
      assert.deepEqual(read(world.node.chain, hash), read(source.node.chain, hash), `block ${header.number}`)
    }
  }

  return { source: () => source, main, branch, chain, at, open, assertSame }
}
