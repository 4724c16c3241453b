import assert from 'node:assert/strict'
import { type Hash, type Header, type Log, toAddress } from '@keelson/primitives'
import { createManualClock, createMemoryStore, createSeededRandom, createSilentLogger, type RpcContext } from '@keelson/runtime'
import fc from 'fast-check'
import type { ChainReader } from '../../chain/chain-reader.ts'
import type { StoredReceipt } from '../../chain/records.ts'
import { DEFAULT_EXECUTION_OPTIONS } from '../../options.ts'
import { logMethods } from '../eth/log-methods.ts'
import type { RpcDependencies } from '../rpc-dependencies.ts'
import { createFilterJournal } from './filter-journal.ts'
import { Filters } from './filters.ts'

const ADDRESS = toAddress(`0x${'aa'.repeat(20)}`)
const CONTEXT: RpcContext = { signal: new AbortController().signal, transport: 'http' }
const EVERY_BIT = new Uint8Array(256).fill(0xff)

interface Node {
  readonly hash: Hash
  readonly header: Header
}

function blockTree() {
  const nodes: Node[] = []
  const byHash = new Map<Hash, Node>()
  let canonical: Node[] = []
  const add = (parent: Node | null): Node => {
    const hash = `0x${(nodes.length + 1).toString(16).padStart(64, '0')}` as Hash
    const number = parent === null ? 0 : parent.header.number + 1
    const node = {
      hash,
      header: { number, parentHash: parent?.hash ?? `0x${'00'.repeat(32)}`, timestampSec: number, logsBloom: EVERY_BIT } as Header,
    }
    nodes.push(node)
    byHash.set(hash, node)
    return node
  }
  const setHead = (head: Node): void => {
    canonical = []
    for (let at: Node | undefined = head; at !== undefined; at = byHash.get(at.header.parentHash as Hash)) canonical.unshift(at)
  }
  const hasLog = (hash: Hash) => BigInt(hash) % 2n === 0n
  const log: Log = { address: ADDRESS, topics: [], data: new Uint8Array(0) }
  const chain = {
    label: () => canonical.at(-1) as Node,
    header: (hash: Hash) => byHash.get(hash)?.header ?? null,
    canonicalHash: (number: number) => canonical[number]?.hash ?? null,
    isCanonical: ({ hash, header }: Node) => canonical[header.number]?.hash === hash,
    bloom: () => EVERY_BIT,
    receipts: (hash: Hash) => [{ receipt: { logs: hasLog(hash) ? [log] : [] } }] as unknown as StoredReceipt[],
    transactionHash: (hash: Hash) => hash,
    logsIndexedFrom: 0,
  } as unknown as ChainReader
  setHead(add(null))
  return {
    chain,
    nodes,
    setHead,
    grow: (parent: Node) => setHead(add(parent)),
    head: () => canonical.at(-1) as Node,
    forget: (node: Node) => byHash.delete(node.hash),
    hashes: () => canonical.map((node) => node.hash),
    logs: () => canonical.map((node) => node.hash).filter(hasLog),
  }
}

async function open(tree: ReturnType<typeof blockTree>, store: ReturnType<typeof createMemoryStore>, seed: number): Promise<Filters> {
  const options = { ...DEFAULT_EXECUTION_OPTIONS.rpc, maxLogResults: 2 }
  const journal = createFilterJournal(store)
  const deps = {
    chain: tree.chain,
    options,
    clock: createManualClock(0),
    random: createSeededRandom(seed),
    log: createSilentLogger(),
    pool: { onExecutable: () => () => undefined },
  } as unknown as RpcDependencies
  const getLogs = logMethods(deps).eth_getLogs
  assert.ok(getLogs !== undefined)
  return new Filters(deps, { journal, stored: await journal.load(options) }, getLogs)
}

const call = async (filters: Filters, method: string, ...params: unknown[]) => filters.methods[method]?.(params, CONTEXT)

type Move = { readonly do: 'grow' | 'poll' | 'kill' | 'stop' | 'lose' } | { readonly do: 'jump'; readonly to: number }

const move: fc.Arbitrary<Move> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom<Move>({ do: 'grow' }) },
  { weight: 4, arbitrary: fc.constantFrom<Move>({ do: 'poll' }) },
  { weight: 1, arbitrary: fc.constantFrom<Move>({ do: 'kill' }, { do: 'stop' }, { do: 'lose' }) },
  { weight: 2, arbitrary: fc.nat(1_000).map((to): Move => ({ do: 'jump', to })) },
)

describe('filters', () => {
  it('let a client rebuild the chain despite reorgs, restarts, crashes and lost responses between its polls', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(move, { maxLength: 60 }), async (moves) => {
        const tree = blockTree()
        const store = createMemoryStore()
        let runs = 1
        let filters = await open(tree, store, runs)
        const id = await call(filters, 'eth_newFilter', {})
        const known = new Set<Hash>()
        const read = (logs: readonly { readonly blockHash: Hash; readonly removed: boolean }[]) => {
          for (const { blockHash, removed } of logs) removed ? known.delete(blockHash) : known.add(blockHash)
        }
        const poll = async () => (await call(filters, 'eth_getFilterChanges', id)) as Parameters<typeof read>[0]
        for (const step of moves) {
          switch (step.do) {
            case 'grow':
              tree.grow(tree.head())
              break
            case 'jump':
              tree.setHead(tree.nodes[step.to % tree.nodes.length] as Node)
              break
            case 'poll':
              read(await poll())
              break
            case 'lose':
              await poll()
              filters = await open(tree, store, ++runs)
              break
            case 'kill':
              filters = await open(tree, store, ++runs)
              break
            case 'stop':
              await filters.stop()
              filters = await open(tree, store, ++runs)
          }
        }
        for (let i = 0; i <= tree.nodes.length; i++) read(await poll())
        assert.deepEqual([...known].sort(), tree.logs().sort())
        assert.deepEqual(await poll(), [])
      }),
      { numRuns: 500 },
    )
  })

  it('remove known logs when changes are repeated in parts', async () => {
    const tree = blockTree()
    const store = createMemoryStore()
    const first = await open(tree, store, 1)
    const id = await call(first, 'eth_newFilter', {})
    const blocks = [tree.head()]
    for (let i = 0; i < 10; i++) {
      tree.grow(tree.head())
      blocks.push(tree.head())
    }
    const known = new Set<Hash>()
    const poll = async (filters: Filters) => {
      const logs = (await call(filters, 'eth_getFilterChanges', id)) as { blockHash: Hash; removed: boolean }[]
      for (const { blockHash, removed } of logs) removed ? known.delete(blockHash) : known.add(blockHash)
      return logs.length
    }
    while ((await poll(first)) > 0);
    assert.equal(known.size, 5)
    tree.setHead(blocks[0] as Node)
    await call(first, 'eth_getFilterChanges', id)
    tree.setHead(blocks[10] as Node)
    const second = await open(tree, store, 2)
    await poll(second)
    tree.setHead(blocks[5] as Node)
    tree.grow(tree.head())
    while ((await poll(second)) > 0);
    assert.deepEqual([...known].sort(), tree.logs().sort())
  })

  it('are dropped when the removed blocks are no longer stored', async () => {
    const tree = blockTree()
    const store = createMemoryStore()
    const filters = await open(tree, store, 1)
    const genesis = tree.head()
    tree.grow(genesis)
    const side = tree.head()
    const id = await call(filters, 'eth_newBlockFilter')
    tree.grow(genesis)
    tree.forget(side)
    await assert.rejects(call(filters, 'eth_getFilterChanges', id), /filter not found/)
    assert.equal(filters.count, 0)
  })

  it('are written when there are changes, not for every poll', async () => {
    const tree = blockTree()
    const store = createMemoryStore()
    let writes = 0
    const batch: typeof store.batch = (...args) => {
      writes++
      return store.batch(...args)
    }
    const counting = { ...store, batch }
    const filters = await open(tree, counting, 1)
    const id = await call(filters, 'eth_newFilter', {})
    assert.equal(writes, 1)
    for (let i = 0; i < 5; i++) await call(filters, 'eth_getFilterChanges', id)
    assert.equal(writes, 1)
    tree.grow(tree.head())
    for (let i = 0; i < 5; i++) await call(filters, 'eth_getFilterChanges', id)
    assert.equal(writes, 3, 'the answer, and that it arrived')
  })
})
