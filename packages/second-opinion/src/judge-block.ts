/** Executes a block from its witness alone. */
import type { BlockRules, BlockTransition } from '@keelson/chainspec'
import { type BlockBytes, readBlock, readParentHash } from './block-bytes.ts'
import { compareWithHeader, type Difference } from './compare-with-header.ts'
import { SecondOpinionError } from './errors.ts'
import { openExecutor } from './executor.ts'
import type { KzgVerifier } from './library-vm.ts'
import { beginBlock, runTransactions } from './run-block.ts'
import { runL1Block } from './run-l1-block.ts'
import { type BlockWitness, byHash, readAncestors } from './witness.ts'
import { WitnessState } from './witness-state.ts'
import { WitnessNodes } from './witness-trie.ts'

export interface JudgeBlockOptions {
  /** RLP of header, transactions, ommers and, from Canyon, withdrawals. */
  readonly block: Uint8Array
  readonly witness: BlockWitness
  readonly rules: BlockRules
  /** Fork that activates in this block; null on L1, whose fork changes of the state (DAO) are not known here. */
  readonly transition: BlockTransition | null
  readonly chainId: bigint
  readonly kzg: KzgVerifier
}

export type Verdict =
  | { readonly kind: 'agrees' }
  | { readonly kind: 'differs'; readonly differences: readonly Difference[] }
  /** The block breaks a rule before any field can be compared. */
  | { readonly kind: 'invalid'; readonly reason: string }
  /** The witness lacks a node, code or header. */
  | { readonly kind: 'incomplete'; readonly reason: string }

export async function judgeBlock(options: JudgeBlockOptions): Promise<Verdict> {
  try {
    const differences = options.rules.chain === 'l1' ? await executeL1(options) : await executeOp(options, readBlock(options.block))
    return differences.length === 0 ? { kind: 'agrees' } : { kind: 'differs', differences }
  } catch (error) {
    if (!(error instanceof SecondOpinionError) || error.code === 'second-opinion/misuse') throw error
    return { kind: error.code === 'second-opinion/invalid-block' ? 'invalid' : 'incomplete', reason: error.message }
  }
}

async function readWitness({ witness }: JudgeBlockOptions, parentHash: Uint8Array) {
  const ancestors = readAncestors(witness.headers, parentHash)
  const nodes = await WitnessNodes.of(byHash(witness.state))
  return { ancestors, state: await WitnessState.open(nodes, byHash(witness.codes), ancestors.parentStateRoot) }
}

async function executeL1(options: JudgeBlockOptions): Promise<Difference[]> {
  return runL1Block(options.block, { ...options, ...(await readWitness(options, readParentHash(options.block))) })
}

async function executeOp(options: JudgeBlockOptions, block: BlockBytes): Promise<Difference[]> {
  const executor = await openExecutor({ ...options, ...(await readWitness(options, block.parentHash)), header: block.header })
  await beginBlock(executor, options.transition)
  const outcome = await runTransactions(executor, block.transactions)
  return compareWithHeader(executor, block.transactions, outcome)
}
