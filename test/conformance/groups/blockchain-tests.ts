/** Whole chains under L1 rules: valid blocks come to their hash and state, invalid ones are refused, and the head is the right one. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { decodeHeader, hexToBytes, type RlpInput, rlpDecode, rlpEncode, rlpList } from '@keelson/primitives'
import { computeGenesisState } from '@keelson/state'
import type { ConformanceCase, ConformanceGroup } from '../group.ts'
import { type BlockRefusal, L1Chain } from '../l1-chain.ts'
import { getNetwork } from '../networks.ts'
import { readTarGz } from '../read-tar.ts'
import { readAccounts, type StateTest } from '../state-test.ts'

interface TestBlock {
  readonly rlp: string
  readonly expectException?: string
}
interface BlockchainTest {
  readonly network: string
  readonly genesisRLP: string
  readonly genesisBlockHeader: { readonly hash: string }
  readonly pre: StateTest['pre']
  readonly blocks: readonly TestBlock[]
  readonly lastblockhash: string
  readonly postState?: StateTest['pre']
  readonly postStateHash?: string
}

/** Loops of very many steps; other tests with as much gas only burn it. */
const LONG = /\/(vmPerformance\/|DelegateCallSpam\.|CALLBlake2f_MaxRounds\.)/

async function judge(test: BlockchainTest): Promise<void> {
  const genesis = decodeHeader(rlpEncode(rlpList(rlpDecode(hexToBytes(test.genesisRLP)), 'genesis')[0] as RlpInput))
  const chain = await L1Chain.open(getNetwork(test.network), genesis, readAccounts(test.pre))
  assert.equal(chain.head.hash, test.genesisBlockHeader.hash, 'genesis hash')
  for (const [i, block] of test.blocks.entries()) {
    const refusal = await chain.add(hexToBytes(block.rlp))
    const { expectException } = block
    if (expectException === undefined) assert.equal(refusal, null, `block ${i} should be valid, but: ${refusal?.message}`)
    else assert.ok(isRefused(refusal, expectException), `block ${i} should be refused: ${expectException}; got ${refusal?.message}`)
  }
  assert.equal(chain.head.hash, test.lastblockhash, 'head')
  const expected = test.postState === undefined ? test.postStateHash : computeGenesisState(readAccounts(test.postState)).stateRoot
  assert.equal(chain.head.header.stateRoot, expected, 'state after the head')
}

/** A bad transaction must be refused for itself, and not for what came of executing it; only blobs are counted in the header too. */
function isRefused(refusal: BlockRefusal | null, expected: string): boolean {
  if (refusal === null) return false
  const badTransaction = /TransactionException|^TR_/.test(expected) && !expected.includes('BlockException')
  if (!badTransaction) return true
  return refusal.by === 'form' || refusal.by === 'transaction' || (refusal.by === 'header' && expected.includes('TYPE_3_TX'))
}

function loadArchive(vectors: string, archive: string): ConformanceCase[] {
  const cases: ConformanceCase[] = []
  for (const { path, bytes } of readTarGz(join(vectors, 'ethereum-tests', `${archive}.tar.gz`))) {
    if (!path.endsWith('.json')) continue
    const file = JSON.parse(bytes.toString('utf8')) as Readonly<Record<string, BlockchainTest>>
    for (const [name, test] of Object.entries(file)) {
      cases.push({ id: `${path.replace(/\.json$/, '')}/${name}`, long: LONG.test(path), run: () => judge(test) })
    }
  }
  return cases
}

function createGroup(name: string, archives: readonly string[], least: number): ConformanceGroup {
  return {
    name,
    load(vectors) {
      const cases = archives.flatMap((archive) => loadArchive(vectors, archive))
      assert.ok(cases.length >= least, `expected at least ${least} cases, got ${cases.length}`)
      return cases
    },
  }
}

export const blockchainTests = createGroup(
  'blockchain-tests',
  ['ValidBlocks', 'InvalidBlocks', 'TransitionTests'].map((kind) => `BlockchainTests-${kind}`),
  440,
)

/** The same tests as of an older date, filled for every fork from Istanbul on. */
export const legacyBlockchainTests = createGroup(
  'blockchain-tests-legacy',
  ['ValidBlocks', 'InvalidBlocks'].map((kind) => `legacy-Cancun-BlockchainTests-${kind}`),
  1900,
)

/** State tests as blocks. */
export const blockchainStateTests = createGroup('blockchain-state-tests', ['BlockchainTests-GeneralStateTests'], 10_000)
