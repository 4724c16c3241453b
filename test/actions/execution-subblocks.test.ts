/** specs: protocol/subblocks.md, protocol/lagoon/post-exec.md#subblocks */
import assert from 'node:assert/strict'
import { forksAtGenesis } from '@keelson/chainspec'
import { bytesToHex, ZERO_HASH } from '@keelson/primitives'
import { openPair, parsed, RECIPIENT } from '../support/subblock-pair.ts'

describe('subblocks of a sequencer', () => {
  it('begin with the deposits and the properties of the block, and go on with what was added', async () => {
    const { sequencer, stream, begin, send, seal } = await openPair()
    const parent = sequencer.node.chain.label('unsafe')
    const id = await begin()
    const tx = sequencer.transfer(0, RECIPIENT, 7n)
    await send(tx)
    const block = await seal(id)
    const [first, second] = parsed(stream)
    assert.equal(stream.length, 2)
    assert.deepEqual([first.payload_id, first.index, second.payload_id, second.index], [id, 0, id, 1])
    assert.deepEqual(first.base, {
      parent_beacon_block_root: ZERO_HASH,
      parent_hash: parent.hash,
      fee_recipient: block.header.feeRecipient,
      prev_randao: ZERO_HASH,
      block_number: '0x1',
      gas_limit: `0x${block.header.gasLimit.toString(16)}`,
      timestamp: `0x${block.header.timestampSec.toString(16)}`,
      extra_data: bytesToHex(block.header.extraData),
      base_fee_per_gas: `0x${block.header.baseFeeWei?.toString(16)}`,
    })
    assert.ok(!('base' in second))
    assert.deepEqual(first.diff.transactions, [bytesToHex(block.transactions[0]?.raw as Uint8Array)])
    assert.deepEqual(second.diff.transactions, [bytesToHex(tx.raw)])
    for (const { diff, metadata } of [first, second]) {
      assert.deepEqual([diff.state_root, diff.block_hash, diff.withdrawals_root, diff.withdrawals], [ZERO_HASH, ZERO_HASH, ZERO_HASH, []])
      assert.ok(!('post_exec_tx' in diff))
      assert.equal(metadata.block_number, 1)
    }
    assert.equal(BigInt(second.diff.gas_used), block.header.gasUsed)
    assert.equal(second.diff.receipts_root, block.header.receiptsRoot)
    assert.equal(second.diff.logs_bloom, bytesToHex(block.header.logsBloom))
    assert.equal(BigInt(second.diff.blob_gas_used), block.header.blobGasUsed)
    assert.equal(BigInt(second.metadata.new_account_balances[RECIPIENT]), 7n)
    const sealed = await sequencer.call('eth_getTransactionReceipt', tx.hash)
    assert.deepEqual(second.metadata.receipts, { [tx.hash]: { ...sealed, blockHash: ZERO_HASH } })
  })

  it('come at once when idle and every 200 ms when busy, and hold the transactions of the sealed block in its order', async () => {
    const { sequencer, stream, begin, send, pass, seal } = await openPair()
    const id = await begin()
    await pass(200)
    for (let i = 0; i < 12; i++) {
      await send(sequencer.transfer(i % 3, RECIPIENT, BigInt(i + 1)))
      await pass(70)
    }
    const block = await seal(id)
    const messages = parsed(stream)
    assert.deepEqual(
      messages.map(({ index }) => index),
      [...messages.keys()],
    )
    assert.ok(messages.length >= 5 && messages.length <= 7, `${messages.length} subblocks`)
    const streamed = messages.flatMap(({ diff }) => diff.transactions)
    assert.deepEqual(
      streamed,
      block.transactions.map(({ raw }) => bytesToHex(raw)),
    )
  })

  it('release the gas of the block over its time, so that a late transaction that pays more finds room', async () => {
    const { sequencer, stream, begin, send, pass, seal } = await openPair({ gasLimit: 1_200_000n, forks: forksAtGenesis('isthmus') })
    const id = await begin()
    for (let i = 0; i < 60; i++) await send(sequencer.transfer(i % 8, RECIPIENT, 1n, { tipWei: 5n }))
    for (let i = 0; i < 3; i++) await pass(200)
    const late = sequencer.transfer(9, RECIPIENT, 9n, { tipWei: 2_000_000_000n })
    await send(late)
    for (let i = 0; i < 6; i++) await pass(200)
    const block = await seal(id)
    const counts = parsed(stream).map(({ diff }) => diff.transactions.length)
    assert.ok(Math.max(...counts) <= 12, `${counts} transactions in the subblocks`)
    assert.ok(block.transactions.some(({ hash }) => hash === late.hash))
    assert.ok(block.header.gasUsed > (block.header.gasLimit * 8n) / 10n, `only ${block.header.gasUsed} gas`)
  })

  it('are not published for blocks without the pool, which followers build too', async () => {
    const { sequencer, stream } = await openPair()
    await sequencer.mine({ noTxPool: true })
    assert.deepEqual(stream, [])
  })
})
