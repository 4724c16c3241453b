/** https://docs.base.org/base-chain/specs/upgrades/azul/exec-engine */
import assert from 'node:assert/strict'
import { forksAtGenesis } from '@keelson/chainspec'
import { bytesToHex, decodeTransaction, hexToBytes, TX_DEPOSIT, TX_FEE_MARKET, toAddress } from '@keelson/primitives'
import { sendDepositOfGas } from '../support/deposit-log.ts'
import { createWorld, type World } from '../support/world.ts'

const GENESIS_SEC = 1_800_000_000
const AZUL_SEC = GENESIS_SEC + 40
const AZUL_BLOCK = 20
const CAP = 2n ** 24n
const CLZ_CONTRACT = toAddress(`0x${'c1'.repeat(20)}`)
const CLZ_CODE = hexToBytes('0x60011e5f5260205ff3')

async function send(world: World, from: number, gasLimit: bigint): Promise<string> {
  const { execution } = world.sequencer
  const account = execution.accounts[from]
  const tx = execution.sign(from, {
    type: TX_FEE_MARKET,
    chainId: execution.chainId,
    nonce: BigInt(await execution.call('eth_getTransactionCount', account?.address, 'pending')),
    gasLimit,
    to: hexToBytes(`0x${'ee'.repeat(20)}`),
    valueWei: 1n,
    data: new Uint8Array(0),
    accessList: [],
    maxFeePerGasWei: 10_000_000_000n,
    maxPriorityFeePerGasWei: 1n,
  })
  return execution.call('eth_sendRawTransaction', bytesToHex(tx.raw))
}

async function blockOf(world: World, hash: string): Promise<number> {
  return Number((await world.sequencer.execution.call('eth_getTransactionReceipt', hash)).blockNumber)
}

describe('crossing Azul', () => {
  it('applies the new rules from its first block on, and a follower of L1 derives the same hashes', async () => {
    const world = await createWorld({
      forks: { ...forksAtGenesis('jovian'), azul: AZUL_SEC },
      alloc: [{ address: CLZ_CONTRACT, nonce: 1n, balanceWei: 0n, code: CLZ_CODE, storage: [] }],
    })
    const follower = await world.addFollower('validator', { gossip: false })
    const { execution } = world.sequencer
    const clz = () => execution.call('eth_call', { to: CLZ_CONTRACT }, 'latest')
    world.startBatcher({ dataAvailability: 'calldata' })

    await world.advance(20)
    const before = await send(world, 0, CAP + 1n)
    await assert.rejects(clz())
    await world.advance(4)
    assert.ok((await blockOf(world, before)) < AZUL_BLOCK)

    await world.advance(20)
    assert.ok(world.sequencer.heads().unsafe >= AZUL_BLOCK)
    assert.equal(world.config.forks.forkAt((await world.sequencer.payloadAt(AZUL_BLOCK)).payload.timestampSec as never), 'azul')
    await assert.rejects(send(world, 0, CAP + 1n), /gas limit/)
    const after = await send(world, 1, CAP)
    sendDepositOfGas(world.l1, CAP + 1n)
    assert.equal(BigInt(await clz()), 255n)
    await world.advance(40)
    assert.ok((await blockOf(world, after)) >= AZUL_BLOCK)

    const { safe } = follower.heads()
    assert.ok(safe > AZUL_BLOCK + 10, `safe ${safe}`)
    const deposits: string[] = []
    for (let number = 1; number <= safe; number++) {
      assert.equal(await follower.hashAt(number), await world.sequencer.hashAt(number), `block ${number}`)
      const { payload } = await follower.payloadAt(number)
      for (const raw of payload.transactions) {
        const tx = raw[0] === TX_DEPOSIT ? decodeTransaction(raw) : null
        if (tx?.type === TX_DEPOSIT && tx.gasLimit === CAP + 1n) deposits.push(tx.hash)
      }
    }
    assert.equal(deposits.length, 1)
    assert.equal((await follower.execution.call('eth_getTransactionReceipt', deposits[0])).status, '0x1')
    // Azul has no upgrade transactions.
    assert.equal((await world.sequencer.payloadAt(AZUL_BLOCK)).payload.transactions.filter((raw) => raw[0] === TX_DEPOSIT).length, 1)
    for (const node of world.nodes) assert.equal(node.log.matching('block differs from L1').length, 0, node.name)
    await world.stop()
  })
})
