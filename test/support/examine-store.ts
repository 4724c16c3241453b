/** Opening after a crash must execute no block. */
import assert from 'node:assert/strict'
import { createExecutionNode, DEFAULT_EXECUTION_OPTIONS, type ExecutionChain, type ExecutionNode } from '@keelson/execution'
import { bytesToHex, type Crypto, type GenesisAccount, type Hash, hexToBytes, keccak256, toAddress } from '@keelson/primitives'
import { createManualClock, createMetrics, createSeededRandom, type KeyValueStore } from '@keelson/runtime'
import { computeGenesisState, openStateStore } from '@keelson/state'
import { JOURNEY_OPTIONS } from './crash-journey.ts'
import { SILENT_LOG } from './execution-world.ts'
import { createTestEngine } from './test-engine.ts'

const CHAIN_DEPTH = 8

export interface ReopenInput {
  readonly store: KeyValueStore
  readonly chain: ExecutionChain
  readonly crypto: Crypto
}

export async function reopen({ store, chain, crypto }: ReopenInput): Promise<ExecutionNode> {
  const engine = createTestEngine({ crypto })
  let executed = 0
  const evm: typeof engine = {
    ...engine,
    open(...args) {
      executed++
      return engine.open(...args)
    },
  }
  const clock = createManualClock(2_000_000_000_000)
  const options = { ...DEFAULT_EXECUTION_OPTIONS, ...JOURNEY_OPTIONS }
  const random = createSeededRandom(2)
  const node = await createExecutionNode(options, {
    chain,
    store,
    clock,
    crypto,
    random,
    log: SILENT_LOG,
    metrics: createMetrics('reopened'),
    evm,
  })
  assert.equal(executed, 0, 'opening executed a block')
  return node
}

export async function examine(node: ExecutionNode): Promise<Hash> {
  const { chain } = node
  const [head, safe, finalized] = [chain.label('unsafe'), chain.label('safe'), chain.label('finalized')]
  assert.ok(finalized.header.number <= safe.header.number && safe.header.number <= head.header.number, 'the labels are out of order')
  assert.ok(chain.isCanonical(safe) && chain.isCanonical(finalized), 'a label is not on the canonical chain')
  let hash = head.hash
  for (let { number } = head.header; number > Math.max(0, head.header.number - CHAIN_DEPTH); number--) {
    const block = chain.block(hash)
    assert.ok(block !== null, `block ${number} is missing`)
    assert.equal(block.header.number, number)
    assert.equal(chain.canonicalHash(number), hash)
    assert.equal(chain.receipts(hash)?.length, block.transactions.length)
    for (const [index, tx] of block.transactions.entries()) assert.deepEqual(chain.locate(tx.hash), { blockNumber: number, index })
    hash = block.header.parentHash
  }
  const proof = (await call(node, 'eth_getProof', '0x4200000000000000000000000000000000000016', [], 'latest')) as { accountProof: string[] }
  assert.equal(
    bytesToHex(keccak256(hexToBytes(proof.accountProof[0] as `0x${string}`))),
    head.header.stateRoot,
    'the root of the state tree',
  )
  return head.hash
}

export async function assertWholeState(store: KeyValueStore, node: ExecutionNode): Promise<void> {
  const { hash, header } = node.chain.label('unsafe')
  const state = await openStateStore(store, JOURNEY_OPTIONS.state)
  const alloc: GenesisAccount[] = []
  for await (const { address, account } of state.dumpAccounts(hash)) {
    assert.ok(address !== null)
    const storage: [Uint8Array, Uint8Array][] = []
    for await (const { slot, value } of state.dumpStorage(hash, address)) storage.push([slot as Uint8Array, value])
    const code = state.viewAt(hash)?.code(account.codeHash) ?? new Uint8Array(0)
    alloc.push({ address: toAddress(address), nonce: account.nonce, balanceWei: account.balanceWei, code, storage })
  }
  assert.equal(computeGenesisState(alloc).stateRoot, header.stateRoot, 'the state root of all accounts')
}

export async function call(node: ExecutionNode, method: string, ...params: readonly unknown[]): Promise<unknown> {
  const handler = node.methods[method]
  assert.ok(handler !== undefined, `no method ${method}`)
  return handler(params, { signal: new AbortController().signal, transport: 'http' })
}
