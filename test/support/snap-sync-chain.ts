import assert from 'node:assert/strict'
import { type Address, type Block, bigintToBytes, type GenesisAccount, type Hash, keccak256 } from '@keelson/primitives'
import type { LevelStore } from '@keelson/runtime'
import { type LocalPeer, localPeer } from '../../packages/execution/src/sync/snap/local-peer.test-support.ts'
import { createExecutionWorld, type ExecutionWorld, type ExecutionWorldOptions } from './execution-world.ts'
import { chainPeer, type ListedPeer, servedChain } from './sync-peers.ts'
import { openSyncing } from './sync-world.ts'

export const LENGTH = 330
/** The first head of most tests. */
export const FIRST = 200
export const PIVOT = FIRST - 64
export const CONTRACT = `0x${'c0'.repeat(20)}` as Address
/** PUSH1 1 SLOAD PUSH0 MSTORE PUSH1 32 PUSH0 RETURN */
const RETURNS_SLOT_1 = Uint8Array.of(0x60, 1, 0x54, 0x5f, 0x52, 0x60, 32, 0x5f, 0xf3)
const SLOTS = 300

const alloc: readonly GenesisAccount[] = [
  {
    address: CONTRACT,
    nonce: 1n,
    balanceWei: 7n,
    code: RETURNS_SLOT_1,
    storage: Array.from({ length: SLOTS }, (_, i) => [bigintToBytes(BigInt(i), 32), keccak256(bigintToBytes(BigInt(i), 32))] as const),
  },
]

/** Lets a peer prove that it serves the state, which the download waits for, before it is held up. */
export function afterProof(holdUp: () => Promise<void>) {
  return async ({ requests }: { readonly requests: number }) => void (requests > 1 && (await holdUp()))
}

/** Mines the chain before the tests of the suite in which it is called. */
export function mineSnapSyncChain() {
  let source: ExecutionWorld
  const main: Block[] = []

  before(async function () {
    this.timeout(120_000)
    source = await createExecutionWorld({ alloc })
    main.push(source.node.chain.block(source.genesis.hash) as Block)
    for (let number = 1; number <= LENGTH; number++) {
      const to = `0x${(number % 50).toString(16).padStart(40, '1')}` as const
      const transactions = number % 3 === 0 ? [source.transfer(number % 5, to, BigInt(number)).raw] : []
      main.push(await source.mine({ transactions }))
    }
  })
  after(() => source.stop())

  const chain = () => servedChain(source.node.chain)
  const at = (number: number) => main[number] as Block
  const open = (peers: readonly ListedPeer[], options: ExecutionWorldOptions = {}) =>
    openSyncing(peers, { alloc, syncMode: 'snap', ...options })

  /** Serves states as if `head` were the newest block. */
  function snapPeer(
    id: string,
    head: () => number,
    hooks: Parameters<typeof localPeer>[2] = {},
  ): ListedPeer & { readonly snap: LocalPeer } {
    const { state } = source.node.database(source.store as LevelStore)
    const reader = { ...source.node.chain, label: () => at(head()) }
    return { ...chainPeer(id, chain()), snap: localPeer({ chain: reader, state } as never, id, hooks) }
  }

  async function hasHeaders(world: ExecutionWorld): Promise<boolean> {
    const { stages = [] } = await world.call('eth_syncing')
    return stages.some(({ name, done }: { name: string; done: string }) => name === 'headers' && Number(done) === FIRST)
  }

  async function assertSame(world: ExecutionWorld, upTo: number): Promise<void> {
    const receipts = ({ node }: ExecutionWorld, hash: Hash) =>
      node.chain.receipts(hash)?.map(({ receipt, sender }) => ({ receipt, sender }))
    for (const { hash, header, transactions } of main.slice(0, upTo + 1)) {
      assert.equal(world.node.chain.canonicalHash(header.number), hash, `block ${header.number}`)
      assert.deepEqual(world.node.chain.block(hash), source.node.chain.block(hash), `block ${header.number}`)
      assert.deepEqual(receipts(world, hash), receipts(source, hash), `block ${header.number}`)
      for (const [index, tx] of transactions.entries())
        assert.deepEqual(world.node.chain.locate(tx.hash), { blockNumber: header.number, index })
    }
    const number = `0x${upTo.toString(16)}`
    for (const [method, ...params] of [
      ['eth_getProof', CONTRACT, ['0x1'], number],
      ['eth_call', { to: CONTRACT }, number],
      ['eth_getBalance', `0x${'7'.padStart(40, '1')}`, number],
    ] as const)
      assert.deepEqual(await world.call(method, ...params), await source.call(method, ...params), method)
  }

  return { source: () => source, main, chain, at, open, snapPeer, hasHeaders, assertSame }
}
