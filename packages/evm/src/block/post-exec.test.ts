/** specs: protocol/lagoon/post-exec.md#block-level-structural-rules, sdm.md; block gas: op-reth, `OpBlockExecutor` of alloy-op-evm */
import assert from 'node:assert/strict'
import {
  BASE_FEE_VAULT,
  encodePostExecPayload,
  hexToBytes,
  L1_FEE_VAULT,
  OPERATOR_FEE_VAULT,
  postExecTransaction,
  rlpEncode,
  SEQUENCER_FEE_VAULT,
  type Transaction,
} from '@keelson/primitives'
import { ALICE, BOB, deposit, ETHER, l1BlockAccount, openTestBlock, opRules, transfer } from '../../../../test/support/evm-world.ts'
import type { HeaderSkeleton, IncludedTx, TxResult } from './block-types.ts'

const BLOCK = 100
const RICH = { address: ALICE, balanceWei: ETHER }
const LAGOON = opRules('lagoon')
const OPERATOR = l1BlockAccount({ operatorFeeScalar: 3n, operatorFeeConstant: 11n, baseFeeWei: 7n, baseFeeScalar: 5n })

const refunding = (refunds: readonly (readonly [index: number, gas: bigint])[], blockNumber = BigInt(BLOCK)) =>
  postExecTransaction(encodePostExecPayload({ version: 1, blockNumber, refunds: refunds.map(([index, gas]) => ({ index, gas })) }))

interface Run {
  readonly results: readonly TxResult[]
  readonly block: ReturnType<typeof openTestBlock>['block']
}

function run(transactions: readonly Transaction[], rules = LAGOON, header: Partial<HeaderSkeleton> = {}): Run {
  const { block } = openTestBlock(rules, [RICH, OPERATOR], { number: BLOCK, ...header }, { transactions })
  const results: TxResult[] = []
  for (const tx of transactions) {
    const result = block.applyTransaction(tx, ALICE)
    results.push(result)
    if (result.kind === 'rejected') break
  }
  return { results, block }
}

function included({ results }: Run, index: number): IncludedTx {
  const result = results[index]
  assert.ok(result?.kind === 'included', result?.kind === 'rejected' ? result.message : 'not applied')
  return result
}

function refusal({ results }: Run): readonly [string, string] {
  const last = results.at(-1)
  assert.ok(last?.kind === 'rejected', 'every transaction was included')
  return [last.reason, last.message]
}

describe('post-execution transactions in a block', () => {
  it('ends the block with a receipt that has the gas of the one before it, no logs and no data footprint', () => {
    const block = run([deposit(), transfer({ nonce: 1n }), refunding([[1, 1_000n]])])
    const [before, last] = [included(block, 1), included(block, 2)]
    assert.deepEqual(last.receipt, { ...before.receipt, type: 0x7d })
    assert.deepEqual([last.gasUsed, last.blobGasUsed, last.tipWei, last.l1Fee, last.contractAddress], [0n, 0n, 0n, null, null])
  })

  it('reports the gas that remains in receipts and in the header', () => {
    const plain = run([deposit(), transfer({ nonce: 1n })])
    const refunded = run([deposit(), transfer({ nonce: 1n }), refunding([[1, 1_000n]])])
    assert.equal(included(refunded, 1).gasUsed, included(plain, 1).gasUsed - 1_000n)
    assert.equal(included(refunded, 1).receipt.cumulativeGasUsed, included(plain, 1).receipt.cumulativeGasUsed - 1_000n)
    assert.equal(refunded.block.finish().gasUsed, plain.block.finish().gasUsed - 1_000n)
  })

  // sdm.md#per-recipient-deltas, with p = 11, b = 10, and the operator fee of 3 * 100 wei per gas since Jovian
  it('gives the sender back what beneficiary, base fee vault and operator vault received for the refunded gas', () => {
    const balances = ({ block }: Run) =>
      [ALICE, hexToBytes(SEQUENCER_FEE_VAULT), hexToBytes(BASE_FEE_VAULT), hexToBytes(OPERATOR_FEE_VAULT), hexToBytes(L1_FEE_VAULT)].map(
        (address) => block.session.balance(address),
      )
    const [plain, refunded] = [
      balances(run([deposit(), transfer({ nonce: 1n })])),
      balances(run([deposit(), transfer({ nonce: 1n }), refunding([[1, 1_000n]])])),
    ]
    const differences = refunded.map((balance, i) => balance - (plain[i] as bigint))
    assert.deepEqual(differences, [1_000n * 11n + 1_000n * 300n, -1_000n, -10_000n, -300_000n, 0n])
  })

  it('may refund all gas of a transaction, below the floor of its data too, and not more', () => {
    const data = new Uint8Array(100).fill(1)
    const sent = transfer({ nonce: 1n, gasLimit: 30_000n, data })
    const used = included(run([deposit(), sent]), 1).gasUsed
    assert.equal(used, 21_000n + 100n * 4n * 10n, 'the floor of EIP-7623')
    assert.equal(included(run([deposit(), sent, refunding([[1, used]])]), 1).gasUsed, 0n)
    assert.match(refusal(run([deposit(), sent, refunding([[1, used + 1n]])]))[1], /refunds 25001 gas, more than the transaction used/)
  })

  // "Bound the block's pre-refund evm_gas_used", so that refunds admit no further work.
  it('leaves the gas limit of the block to what was executed, not to what remains after refunds', () => {
    const both = [transfer(), transfer({ nonce: 1n })]
    const gasLimit = 41_999n
    assert.equal(refusal(run([...both, refunding([[0, 20_000n]])], LAGOON, { gasLimit }))[0], 'block-gas-limit')
    assert.equal(run([...both, refunding([[0, 20_000n]])], LAGOON, { gasLimit: 42_000n }).results.length, 3)
  })

  const sent = [deposit(), transfer({ nonce: 1n })] as const
  const structure: readonly (readonly [string, readonly Transaction[], RegExp])[] = [
    ['not the last', [...sent, refunding([[1, 1n]]), transfer({ nonce: 2n })], /must be the last of its block; 1 follow it/],
    ['two of them', [...sent, refunding([[1, 1n]]), refunding([[1, 1n]])], /must be the last of its block; 1 follow it/],
    ['of another block', [...sent, refunding([[1, 1n]], 99n)], /payload is for block 99, expected 100/],
    ['refunds a deposit', [...sent, refunding([[0, 1n]])], /refunds transaction 0 of type 126/],
    ['refunds itself', [...sent, refunding([[2, 1n]])], /refunds transaction 2 of type 125/],
    ['refunds a transaction that is not there', [...sent, refunding([[7, 1n]])], /refunds transaction 7, which the block does not have/],
    ['an unknown version', [...sent, postExecTransaction(rlpEncode([2, BLOCK, [[1, 1]]]))], /version 2 is not known/],
    ['no refunds', [...sent, postExecTransaction(rlpEncode([1, BLOCK, []]))], /refunds nothing/],
  ]
  for (const [name, transactions, message] of structure) {
    it(`makes a block invalid: ${name}`, () => {
      const [reason, text] = refusal(run(transactions))
      assert.equal(reason, 'post-exec')
      assert.match(text, message)
    })
  }

  it('does not exist before Lagoon', () => {
    assert.deepEqual(refusal(run([...sent, refunding([[1, 1n]])], opRules('karst')))[0], 'type-not-supported')
  })

  it('must be known before the transactions that it refunds execute', () => {
    const { block } = openTestBlock(LAGOON, [RICH, OPERATOR], { number: BLOCK })
    assert.equal(block.applyTransaction(transfer(), ALICE).kind, 'included')
    const late = block.applyTransaction(refunding([[0, 1n]]), ALICE)
    assert.match(late.kind === 'rejected' ? late.message : '', /must be known before/)
  })

  it('takes no transaction after it that was not known before', () => {
    const transactions = [transfer(), refunding([[0, 1n]])]
    const { block } = run(transactions)
    const more = block.applyTransaction(transfer({ nonce: 1n, to: BOB }), ALICE)
    assert.match(more.kind === 'rejected' ? more.message : '', /transaction 1 is a post-execution transaction, which ends its block/)
  })
})

// op-reth `UnexpectedNonDepositTxInForkActivationBlock`: since Jovian a rule of the block, not only of batches
describe('a block that activates a fork with upgrade transactions', () => {
  it('holds deposits only', () => {
    const transition = {
      activates: ['lagoon' as const],
      upgradeTransactions: [],
      l1InfoFormat: 'jovian' as const,
      userTransactionsAllowed: false,
      upgradeGas: 0n,
      keptUpgradeGas: 0n,
      irregularCode: [],
    }
    const { block } = openTestBlock(LAGOON, [RICH, OPERATOR], {}, { transition })
    assert.equal(block.applyTransaction(deposit(), ALICE).kind, 'included')
    const sent = block.applyTransaction(transfer({ nonce: 1n }), ALICE)
    assert.deepEqual(sent.kind === 'rejected' ? [sent.reason, sent.message] : [], [
      'activation-block',
      'the block that activates lagoon holds deposits only',
    ])
  })
})
