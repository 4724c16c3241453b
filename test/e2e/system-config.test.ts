import assert from 'node:assert/strict'
import {
  encodeSetDaFootprintGasScalar,
  encodeSetEip1559Params,
  encodeSetMinBaseFee,
  encodeSetOperatorFeeScalars,
  PREDEPLOYS,
} from '@keelson/contracts'
import { bytesToHex } from '@keelson/primitives'
import { JsonRpcProvider, Wallet } from 'ethers'
import { DEV_ROLES } from '../../packages/devnet/src/genesis/devnet/dev-accounts.ts'
import { syncStatus } from '../support/chain-reading.ts'
import { type DevnetProcess, newDevnetFolder, startDevnet, withServices } from '../support/devnet-process.ts'
import { claimE2ePorts } from '../support/e2e-ports.ts'
import { eventually } from '../support/eventually.ts'
import { type FollowerProcess, startFollower } from '../support/follower-process.ts'
import { rpcCall } from '../support/json-rpc.ts'

const { offset: PORT_OFFSET, spare: FOLLOWER_PORT } = await claimE2ePorts()
const MIN_BASE_FEE_WEI = 2_000_000_000n
const OPERATOR_FEE = { scalar: 3, constantWei: 12_345n }
const DA_SCALAR = 1_000
/** Minimum DA size of a transaction. specs: protocol/fjord/exec-engine.md */
const LEAST_DA_BYTES = 100n
const VAULT = PREDEPLOYS.OperatorFeeVault

interface Block {
  readonly number: string
  readonly hash: string
  readonly extraData: string
  readonly baseFeePerGas: string
  readonly blobGasUsed: string
  readonly transactions: readonly string[]
}

interface Receipt {
  readonly status: string
  readonly blockNumber: string
  readonly gasUsed: string
  readonly effectiveGasPrice: string
  readonly l1Fee: string
  readonly blobGasUsed: string
  readonly operatorFeeScalar?: string
  readonly operatorFeeConstant?: string
  readonly daFootprintGasScalar?: string
}

describe('parameters set in SystemConfig on L1', () => {
  let devnet: DevnetProcess
  let follower: FollowerProcess | undefined
  before(async () => {
    devnet = await startDevnet(newDevnetFolder(), PORT_OFFSET, [
      '--l1.block-time-sec',
      '2',
      '--sequencer.l1-confirmations',
      '1',
      ...withServices(),
    ])
  })
  after(async () => {
    await follower?.remove()
    await devnet?.remove()
  })

  const l2 = <T>(method: string, ...params: unknown[]) => rpcCall<T>(devnet.facts.l2.rpcUrl, method, params)
  const balance = async (address: string, block: string) => BigInt(await l2<string>('eth_getBalance', address, block))
  const previous = (block: string) => `0x${(BigInt(block) - 1n).toString(16)}`

  async function transfer(): Promise<{ receipt: Receipt; block: Block; paidWei: bigint }> {
    const account = devnet.facts.accounts[7]
    assert.ok(account)
    const provider = new JsonRpcProvider(devnet.facts.l2.rpcUrl, devnet.facts.l2.chainId, { staticNetwork: true })
    try {
      const wallet = new Wallet(account.privateKey, provider)
      const sent = await wallet.sendTransaction({ to: `0x${'77'.repeat(20)}`, value: 1n, gasLimit: 21_000n, maxFeePerGas: 10n ** 11n })
      const receipt = await eventually('the inclusion of the transfer', () => l2<Receipt | null>('eth_getTransactionReceipt', sent.hash))
      assert.ok(receipt)
      assert.equal(receipt.status, '0x1')
      const { blockNumber } = receipt
      const [before, after] = [await balance(account.address, previous(blockNumber)), await balance(account.address, blockNumber)]
      return { receipt, block: await l2<Block>('eth_getBlockByNumber', blockNumber, false), paidWei: before - after - 1n }
    } finally {
      provider.destroy()
    }
  }

  function feesWithoutOperator({ gasUsed, effectiveGasPrice, l1Fee }: Receipt): bigint {
    return BigInt(gasUsed) * BigInt(effectiveGasPrice) + BigInt(l1Fee)
  }

  it('apply to every L2 block from the L1 origin of their event on, also when derived from L1 alone', async () => {
    const first = await transfer()
    assert.equal(first.block.extraData, `0x01${'000000fa'}${'00000006'}${'0'.repeat(16)}`)
    assert.equal(first.paidWei, feesWithoutOperator(first.receipt))
    assert.equal(BigInt(first.receipt.blobGasUsed), LEAST_DA_BYTES * 400n)

    const provider = new JsonRpcProvider(devnet.facts.l1.rpcUrl, devnet.facts.l1.chainId, { staticNetwork: true })
    const admin = new Wallet(DEV_ROLES.admin.privateKey, provider)
    const to = devnet.facts.contracts.SystemConfig as string
    const nonce = await admin.getNonce()
    const updates = [
      encodeSetEip1559Params(100, 3),
      encodeSetOperatorFeeScalars(OPERATOR_FEE.scalar, OPERATOR_FEE.constantWei),
      encodeSetMinBaseFee(MIN_BASE_FEE_WEI),
      encodeSetDaFootprintGasScalar(DA_SCALAR),
    ]
    const sent = await Promise.all(
      updates.map((data, i) => admin.sendTransaction({ to, data: bytesToHex(data), gasLimit: 200_000n, nonce: nonce + i })),
    )
    for (const update of sent) assert.equal((await update.wait())?.status, 1)
    provider.destroy()

    const expected = `0x01${'00000064'}${'00000003'}${MIN_BASE_FEE_WEI.toString(16).padStart(16, '0')}`
    await eventually('an L2 block with the new parameters', async () => {
      const { extraData, baseFeePerGas } = await l2<Block>('eth_getBlockByNumber', 'latest', false)
      return extraData === expected && BigInt(baseFeePerGas) === MIN_BASE_FEE_WEI
    })
    const last = await transfer()
    assert.equal(last.block.extraData, expected)
    assert.equal(BigInt(last.block.baseFeePerGas), MIN_BASE_FEE_WEI)

    const operatorFeeWei = BigInt(last.receipt.gasUsed) * BigInt(OPERATOR_FEE.scalar) * 100n + OPERATOR_FEE.constantWei
    assert.equal(last.paidWei, feesWithoutOperator(last.receipt) + operatorFeeWei)
    assert.deepEqual(
      [last.receipt.operatorFeeScalar, last.receipt.operatorFeeConstant, last.receipt.daFootprintGasScalar].map((value) =>
        BigInt(value ?? -1),
      ),
      [BigInt(OPERATOR_FEE.scalar), OPERATOR_FEE.constantWei, BigInt(DA_SCALAR)],
    )
    assert.equal(BigInt(last.receipt.blobGasUsed), LEAST_DA_BYTES * BigInt(DA_SCALAR))
    assert.ok(BigInt(last.block.blobGasUsed) >= LEAST_DA_BYTES * BigInt(DA_SCALAR))
    const { blockNumber } = last.receipt
    assert.ok((await balance(VAULT, blockNumber)) - (await balance(VAULT, previous(blockNumber))) >= operatorFeeWei)

    const node = startFollower(devnet, FOLLOWER_PORT)
    follower = node
    await eventually('that block on the other node', () =>
      syncStatus(node.rollupRpcUrl).then(
        ({ safe_l2 }) => safe_l2.number >= Number(blockNumber),
        () => false,
      ),
    )
    for (const number of [first.receipt.blockNumber, previous(blockNumber), blockNumber]) {
      const [ours, theirs] = [
        await l2<Block>('eth_getBlockByNumber', number, false),
        await rpcCall<Block>(node.rpcUrl, 'eth_getBlockByNumber', [number, false]),
      ]
      assert.deepEqual(theirs, ours)
    }
  })
})
