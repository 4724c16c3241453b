/** Executes a case as a block of L1, and the second opinion the block again from the witness that our execution recorded. */
import { type EvmEngine, type OpenBlock, openBlock } from '@keelson/evm'
import {
  encodeBlock,
  encodeReceipt,
  type GenesisAccount,
  type Header,
  hashHeader,
  hexToBytes,
  orderedListRoot,
  type SignedTransaction,
  toAddress,
  toHash,
} from '@keelson/primitives'
import { computeGenesisState, createMemoryKeyValueStore, openStateStore } from '@keelson/state'
import { CONSOLIDATION_REQUESTS, WITHDRAWAL_REQUESTS } from '../../../../packages/evm/src/block/system-calls.ts'
import { assertOpinion } from '../../../conformance/opinion.ts'
import { rulesOf } from '../chains.ts'
import { CHAIN_ID, codeBytes, crypto, type EvmCase, SIGNERS, wordBytes } from '../evm-case.ts'
import type { Outcome } from '../outcome.ts'
import { signTransaction } from '../signed-transaction.ts'
import { ancestorsOf, skeletonOf } from './case-headers.ts'
import type { CaseRunner } from './case-runner.ts'

/** Has nothing to compare: a disagreement is an error. */
const AGREES: Outcome = { transactions: [], state: null }
const STOP = Uint8Array.of(0)
const NO_CODE = new Uint8Array(0)

export class WitnessRunner implements CaseRunner {
  readonly name = 'second-opinion'
  readonly #engine: EvmEngine

  constructor(engine: EvmEngine) {
    this.#engine = engine
  }

  runs({ chain }: EvmCase): boolean {
    return rulesOf(chain).chain === 'l1'
  }

  async run(subject: EvmCase): Promise<Outcome> {
    const rules = rulesOf(subject.chain)
    const genesis = computeGenesisState(allocOf(subject))
    const ancestors = ancestorsOf(subject, toHash(genesis.stateRoot))
    const parent = ancestors.at(-1) as Header
    const parentHash = hashHeader(parent)
    const store = await openStateStore(createMemoryKeyValueStore())
    await store.initGenesis(genesis, { hash: parentHash, number: parent.number })
    const recorder = store.recordAt(parentHash)
    if (recorder === null) throw new Error('no state of the parent')
    const skeleton = skeletonOf(subject, parent)
    const hashes = new Map(ancestors.map((each) => [each.number, hashHeader(each)]))
    const block = openBlock({
      engine: this.#engine,
      view: recorder.view,
      header: skeleton,
      rules,
      transition: null,
      chainId: CHAIN_ID,
      crypto,
      blockHash: (number) => hashes.get(number) ?? null,
      rootOf: (diff) => toHash(recorder.rootOf(diff).root),
    })
    const transactions = await applyAll(block, subject)
    const result = block.finish()
    const header: Header = {
      ...skeleton,
      stateRoot: toHash(recorder.rootOf(result.diff).root),
      transactionsRoot: orderedListRoot(transactions.map(({ raw }) => raw)),
      receiptsRoot: orderedListRoot(result.receipts.map(encodeReceipt)),
      logsBloom: result.logsBloom,
      gasUsed: result.gasUsed,
      blobGasUsed: result.blobGasUsed,
      requestsHash: result.requestsHash,
    }
    const raw = encodeBlock({ hash: hashHeader(header), header, transactions, withdrawals: header.withdrawalsRoot === null ? null : [] })
    await assertOpinion({ block: raw, recorder, ancestors, rules, transition: null, chainId: CHAIN_ID })
    return AGREES
  }
}

/** Without rejected ones. */
async function applyAll(block: OpenBlock, { transactions }: EvmCase): Promise<SignedTransaction[]> {
  block.applySystemCalls()
  const included: SignedTransaction[] = []
  for (const each of transactions) {
    const sender = SIGNERS[each.sender]?.address as Uint8Array
    const tx = signTransaction(each, block.session.nonce(sender))
    if (block.applyTransaction(tx, sender).kind === 'included') included.push(tx)
  }
  return included
}

/** From Prague on, a block needs the two contracts. */
function allocOf({ accounts }: EvmCase): GenesisAccount[] {
  const system = [WITHDRAWAL_REQUESTS, CONSOLIDATION_REQUESTS].map((address) => ({
    address: toAddress(address),
    balanceWei: 0n,
    nonce: 1n,
    code: STOP,
    storage: [],
  }))
  const given = accounts.map(({ address, balance, nonce, code, storage }) => ({
    address: toAddress(hexToBytes(address)),
    balanceWei: BigInt(balance),
    nonce: BigInt(nonce),
    code: code.length === 0 ? NO_CODE : codeBytes(code),
    storage: storage.map(([slot, value]) => [wordBytes(slot), wordBytes(value)] as const),
  }))
  return [...system, ...given]
}
