/**
 * Karst and Azul cap a transaction's gas at 2^24, except for deposits (EIP-7825).
 * https://docs.base.org/base-chain/specs/upgrades/azul/exec-engine#transaction-gas-limit-cap
 */
import assert from 'node:assert/strict'
import { type Fork, forksAtGenesis } from '@keelson/chainspec'
import { encodeDeposit, hexToBytes, TX_DEPOSIT, TX_FEE_MARKET, ZERO_ADDRESS } from '@keelson/primitives'
import { createExecutionWorld, type ExecutionWorld } from '../../../../test/support/execution-world.ts'

const CAP = 2n ** 24n
const TO = hexToBytes(`0x${'ee'.repeat(20)}`)

function sign(world: ExecutionWorld, gasLimit: bigint): Uint8Array {
  return world.sign(0, {
    type: TX_FEE_MARKET,
    chainId: world.chainId,
    nonce: 0n,
    gasLimit,
    to: TO,
    valueWei: 0n,
    data: new Uint8Array(0),
    accessList: [],
    maxFeePerGasWei: 10_000_000_000n,
    maxPriorityFeePerGasWei: 0n,
  }).raw
}

const open = (fork: Fork) => createExecutionWorld({ forks: forksAtGenesis(fork) })

for (const fork of ['karst', 'azul'] as const) {
  describe(`gas cap of transactions under ${fork}`, () => {
    it('allows 2^24 gas in a block but not more, and does not apply to Jovian', async () => {
      const world = await open(fork)
      assert.equal((await world.mine({ noTxPool: true, transactions: [sign(world, CAP)] })).header.gasUsed > 21_000n, true)
      await world.stop()
      const capped = await open(fork)
      await assert.rejects(capped.mine({ noTxPool: true, transactions: [sign(capped, CAP + 1n)] }))
      await capped.stop()
      const jovian = await open('jovian')
      assert.equal((await jovian.mine({ noTxPool: true, transactions: [sign(jovian, CAP + 1n)] })).transactions.length, 2)
      await jovian.stop()
    })

    it('applies to transactions at the pool', async () => {
      const world = await open(fork)
      const send = (gasLimit: bigint) => world.call('eth_sendRawTransaction', `0x${Buffer.from(sign(world, gasLimit)).toString('hex')}`)
      await assert.rejects(send(CAP + 1n), /gas limit/)
      assert.match(await send(CAP), /^0x[0-9a-f]{64}$/)
      await world.stop()
    })

    it('removes a transaction accepted before the fork from the pool, and the sender can submit another', async () => {
      const world = await createExecutionWorld({ forks: { ...forksAtGenesis('jovian'), [fork]: 1_700_000_000 + 4 } })
      const send = (gasLimit: bigint) => world.call('eth_sendRawTransaction', `0x${Buffer.from(sign(world, gasLimit)).toString('hex')}`)
      await send(CAP + 1n)
      for (let block = 0; block < 2; block++) await world.mine({ noTxPool: true })
      assert.equal((await world.mine()).transactions.length, 1, 'L1 info alone')
      assert.deepEqual(world.node.pool.ofSender(world.accounts[0]?.address ?? ZERO_ADDRESS).pending, [])
      await send(CAP)
      assert.equal((await world.mine()).transactions.length, 2)
      await world.stop()
    })

    it('does not apply to deposits', async () => {
      const world = await open(fork)
      const deposit = encodeDeposit({
        type: TX_DEPOSIT,
        sourceHash: new Uint8Array(32).fill(7),
        from: TO,
        to: TO,
        mintWei: 0n,
        valueWei: 0n,
        gasLimit: CAP + 1n,
        isSystemTx: false,
        data: new Uint8Array(0),
      }).raw
      const block = await world.mine({ noTxPool: true, transactions: [deposit] })
      const receipts = await world.call('eth_getBlockReceipts', block.hash)
      assert.equal(receipts[1].status, '0x1')
      await world.stop()
    })
  })
}
