import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { bytesToHex, hexToBytes, toAddress, toHash } from '@keelson/primitives'
import { AbiCoder, Interface, type InterfaceAbi, keccak256 } from 'ethers'
import {
  decodeProvenWithdrawal,
  encodeFinalizedWithdrawals,
  encodeFinalizeWithdrawal,
  encodeProvenWithdrawals,
  encodeProveWithdrawal,
  findWithdrawalFinalized,
  withdrawalSlot,
} from './portal-withdrawals.ts'
import { encodeBridgeErc20To, encodeBridgeEthTo } from './standard-bridge.ts'

const abiOf = (name: string) =>
  new Interface((JSON.parse(readFileSync(new URL(`../artifacts/${name}.json`, import.meta.url), 'utf8')) as { abi: InterfaceAbi }).abi)
const portal = abiOf('OptimismPortal')
const word = (byte: string) => toHash(`0x${byte.repeat(32)}`)
const withdrawal = {
  nonce: (1n << 240n) | 7n,
  sender: toAddress(`0x${'11'.repeat(20)}`),
  target: toAddress(`0x${'22'.repeat(20)}`),
  valueWei: 12n,
  gasLimit: 100_000n,
  data: Uint8Array.of(1, 2, 3),
}
const tuple = [withdrawal.nonce, withdrawal.sender, withdrawal.target, 12n, 100_000n, '0x010203']

describe('withdrawals at the portal', () => {
  it('are proven and finalized by the calls that the published interface describes', () => {
    const output = { stateRoot: word('a1'), messagePasserStorageRoot: word('a2'), blockHash: word('a3') }
    const nodes = [Uint8Array.of(1), new Uint8Array(40).fill(2)]
    assert.equal(
      bytesToHex(encodeProveWithdrawal(withdrawal, { outputIndex: 9n, output, nodes })),
      portal.encodeFunctionData('proveWithdrawalTransaction', [tuple, 9n, [word('00'), word('a1'), word('a2'), word('a3')], nodes]),
    )
    assert.equal(bytesToHex(encodeFinalizeWithdrawal(withdrawal)), portal.encodeFunctionData('finalizeWithdrawalTransaction', [tuple]))
    assert.equal(bytesToHex(encodeProvenWithdrawals(word('ab'))), portal.encodeFunctionData('provenWithdrawals', [word('ab')]))
    assert.equal(bytesToHex(encodeFinalizedWithdrawals(word('ab'))), portal.encodeFunctionData('finalizedWithdrawals', [word('ab')]))
  })

  it('are stored by the message passer in a mapping at slot 0', () => {
    assert.equal(withdrawalSlot(word('ab')), keccak256(AbiCoder.defaultAbiCoder().encode(['bytes32', 'uint256'], [word('ab'), 0])))
  })

  it('are not proven while the portal has no time of a proof', () => {
    const answer = (values: unknown[]) => hexToBytes(portal.encodeFunctionResult('provenWithdrawals', values))
    assert.equal(decodeProvenWithdrawal(answer([word('00'), 0n, 0n])), null)
    assert.deepEqual(decodeProvenWithdrawal(answer([word('cc'), 77n, 3n])), { outputRoot: word('cc'), timestampSec: 77, outputIndex: 3n })
  })

  it('report in an event whether their call succeeded', () => {
    for (const succeeded of [true, false]) {
      const { data, topics } = portal.encodeEventLog('WithdrawalFinalized', [word('ee'), succeeded])
      const log = { address: withdrawal.sender, topics: topics.map((topic) => toHash(topic)), data: hexToBytes(data) }
      assert.deepEqual(findWithdrawalFinalized(log), { withdrawalHash: word('ee'), succeeded })
      assert.equal(findWithdrawalFinalized({ ...log, topics: [word('ee')] }), null)
    }
  })
})

describe('calls of the standard bridges', () => {
  it('are those of the published interface on both chains', () => {
    const localToken = toAddress(`0x${'33'.repeat(20)}`)
    const remoteToken = toAddress(`0x${'44'.repeat(20)}`)
    const to = withdrawal.target
    for (const bridge of [abiOf('L1StandardBridge'), abiOf('L2StandardBridge')]) {
      assert.equal(
        bytesToHex(encodeBridgeErc20To({ localToken, remoteToken, to, amount: 5n, minGasLimit: 6n })),
        bridge.encodeFunctionData('bridgeERC20To', [localToken, remoteToken, to, 5n, 6n, '0x']),
      )
      assert.equal(bytesToHex(encodeBridgeEthTo(to, 6n)), bridge.encodeFunctionData('bridgeETHTo', [to, 6n, '0x']))
    }
  })
})
