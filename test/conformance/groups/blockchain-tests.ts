import assert from 'node:assert/strict'
import { decodeHeader, hexToBytes, type RlpInput, rlpDecode, rlpEncode, rlpList } from '@keelson/primitives'
import { computeGenesisState } from '@keelson/state'
import type { ConformanceCase, ConformanceGroup } from '../group.ts'
import { L1Chain } from '../l1-chain.ts'
import { getNetwork, type StatedBlobs } from '../networks.ts'
import { assertRefused, type StatedExceptions } from '../refusals.ts'
import { readAccounts, type StateTest } from '../state-test.ts'
import { type EthereumTestFile, loadEthereumTests } from '../vectors/ethereum-tests.ts'

interface TestBlock {
  readonly rlp: string
  readonly expectException?: StatedExceptions
}
interface BlockchainTest {
  readonly network: string
  readonly config?: { readonly blobSchedule?: StatedBlobs }
  readonly genesisRLP: string
  readonly genesisBlockHeader: { readonly hash: string }
  readonly pre: StateTest['pre']
  readonly blocks: readonly TestBlock[]
  readonly lastblockhash: string
  readonly postState?: StateTest['pre']
  readonly postStateHash?: string
}

const LONG = /\/(vmPerformance\/|(DelegateCallSpam|CALLBlake2f_MaxRounds)(\/|$))/

async function judge(test: BlockchainTest): Promise<void> {
  const genesis = decodeHeader(rlpEncode(rlpList(rlpDecode(hexToBytes(test.genesisRLP)), 'genesis')[0] as RlpInput))
  const chain = await L1Chain.open(getNetwork(test.network, test.config?.blobSchedule), genesis, readAccounts(test.pre))
  assert.equal(chain.head.hash, test.genesisBlockHeader.hash, 'genesis hash')
  for (const [i, block] of test.blocks.entries()) {
    const refusal = await chain.add(hexToBytes(block.rlp))
    const { expectException } = block
    if (expectException === undefined) assert.equal(refusal, null, `block ${i} should be valid, but: ${refusal?.message}`)
    else assertRefused(refusal, expectException, `block ${i}`)
  }
  assert.equal(chain.head.hash, test.lastblockhash, 'head')
  const expected = test.postState === undefined ? test.postStateHash : computeGenesisState(readAccounts(test.postState)).stateRoot
  assert.equal(chain.head.header.stateRoot, expected, 'state after the head')
}

function casesOf({ id: path, content }: EthereumTestFile): ConformanceCase[] {
  return Object.entries(content as Readonly<Record<string, BlockchainTest>>).map(([name, test]) => ({
    id: `${path}/${name}`,
    long: LONG.test(path),
    run: () => judge(test),
  }))
}

function createGroup(name: string, accepts: (path: string) => boolean): ConformanceGroup {
  return { name, under: ['ethereum-tests/'], load: (folder) => loadEthereumTests(folder, { format: 'blockchain', accepts }, casesOf) }
}

const isLegacy = (path: string) => /legacy/i.test(path)
const isOfStateTests = (path: string) => /GeneralStateTests/i.test(path)

export const blockchainTests = createGroup('blockchain-tests', (path) => !isLegacy(path) && !isOfStateTests(path))

/** Earlier versions of the tests, filled for every fork from Istanbul on. */
export const legacyBlockchainTests = createGroup('blockchain-tests-legacy', isLegacy)

export const blockchainStateTests = createGroup('blockchain-state-tests', (path) => !isLegacy(path) && isOfStateTests(path))
