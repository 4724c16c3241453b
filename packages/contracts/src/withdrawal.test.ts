import assert from 'node:assert/strict'
import { hexToBytes, L2_TO_L1_MESSAGE_PASSER, type Log, toAddress, toHash } from '@keelson/primitives'
import { AbiCoder, Interface, keccak256 } from 'ethers'
import { getWithdrawals } from 'viem/op-stack'
import { findWithdrawal, MESSAGE_PASSED_TOPIC, withdrawalHash } from './withdrawal.ts'

const event = new Interface([
  'event MessagePassed(uint256 indexed nonce, address indexed sender, address indexed target, uint256 value, uint256 gasLimit, bytes data, bytes32 withdrawalHash)',
])
const withdrawal = {
  nonce: (1n << 240n) | 7n,
  sender: toAddress(`0x${'11'.repeat(20)}`),
  target: toAddress(`0x${'22'.repeat(20)}`),
  valueWei: 12n,
  gasLimit: 100_000n,
  data: Uint8Array.of(1, 2, 3),
}

function logOf(hash: string): Log {
  const { nonce, sender, target, valueWei, gasLimit, data } = withdrawal
  const encoded = event.encodeEventLog('MessagePassed', [nonce, sender, target, valueWei, gasLimit, data, hash])
  return { address: L2_TO_L1_MESSAGE_PASSER, topics: encoded.topics.map((topic) => toHash(topic)), data: hexToBytes(encoded.data) }
}

describe('withdrawals', () => {
  const { valueWei, data, ...rest } = withdrawal
  const hash = keccak256(
    AbiCoder.defaultAbiCoder().encode(
      ['uint256', 'address', 'address', 'uint256', 'uint256', 'bytes'],
      [rest.nonce, rest.sender, rest.target, valueWei, rest.gasLimit, data],
    ),
  )

  it('have the hash that another library computes', () => {
    assert.equal(withdrawalHash(withdrawal), hash)
  })

  it('are decoded from their log like viem decodes it', () => {
    const log = logOf(hash)
    assert.equal(log.topics[0], MESSAGE_PASSED_TOPIC)
    assert.deepEqual(findWithdrawal(log), withdrawal)
    const [other] = getWithdrawals({
      logs: [
        {
          ...log,
          data: event.encodeEventLog('MessagePassed', [rest.nonce, rest.sender, rest.target, valueWei, rest.gasLimit, data, hash]).data,
        },
      ] as never,
    })
    assert.equal(other?.withdrawalHash, hash)
  })

  it('are rejected from another contract, another event, or a log with a wrong hash', () => {
    assert.equal(findWithdrawal({ ...logOf(hash), address: withdrawal.sender }), null)
    assert.equal(findWithdrawal({ ...logOf(hash), topics: [toHash(hash)] }), null)
    assert.equal(findWithdrawal(logOf(`0x${'00'.repeat(32)}`)), null)
    assert.equal(findWithdrawal({ ...logOf(hash), data: new Uint8Array(40) }), null)
  })
})
