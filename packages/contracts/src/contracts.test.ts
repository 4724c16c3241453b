import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { bytesToHex, hexToBytes, keccak256Hash, type Log, toAddress, toHash, ZERO_ADDRESS } from '@keelson/primitives'
import { Interface, id, TypedDataEncoder } from 'ethers'
import { encodeParameters } from './abi/abi-encode.ts'
import { decodeArtifact, L1_ARTIFACTS, L2_ARTIFACTS } from './artifact.ts'
import { encodeDepositTransaction, findTransactionDeposited, TRANSACTION_DEPOSITED_TOPIC } from './optimism-portal.ts'
import { decodeL2Output, encodeGetL2Output, encodeProposeL2Output, OUTPUT_PROPOSED_TOPIC } from './output-oracle.ts'
import { implementationAddress, PREDEPLOYS, PREINSTALLS, predeployAddress } from './predeploy-addresses.ts'
import { decodePreinstalls, PERMIT2_DOMAIN_SEPARATOR_OFFSET } from './preinstall.ts'
import { encodeDepositEth, encodeDepositEthTo } from './standard-bridge.ts'
import {
  CONFIG_UPDATE_TOPIC,
  encodeSetBatcherHash,
  encodeSetDaFootprintGasScalar,
  encodeSetEip1559Params,
  encodeSetGasConfigEcotone,
  encodeSetMinBaseFee,
  encodeSetOperatorFeeScalars,
  SYSTEM_CONFIG_GETTERS,
} from './system-config-contract.ts'

const ARTIFACTS = fileURLToPath(new URL('../artifacts/', import.meta.url))
const read = (name: string): unknown => JSON.parse(readFileSync(`${ARTIFACTS}${name}.json`, 'utf8'))
const abiOf = (name: string) => new Interface(JSON.stringify((read(name) as { abi: unknown }).abi))
const alice = toAddress('0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266')

describe('calls and events', () => {
  it('equal those of the compiled contracts', () => {
    const portal = abiOf('OptimismPortal')
    assert.equal(TRANSACTION_DEPOSITED_TOPIC, portal.getEvent('TransactionDeposited')?.topicHash)
    assert.equal(
      bytesToHex(encodeDepositTransaction({ to: alice, valueWei: 7n, gasLimit: 50_000n, isCreation: false, data: hexToBytes('0xab') })),
      portal.encodeFunctionData('depositTransaction', [alice, 7n, 50_000n, false, '0xab']),
    )
    const oracle = abiOf('L2OutputOracle')
    const root = toHash(`0x${'11'.repeat(32)}`)
    const l1 = { hash: toHash(`0x${'22'.repeat(32)}`), number: 9 }
    assert.equal(OUTPUT_PROPOSED_TOPIC, oracle.getEvent('OutputProposed')?.topicHash)
    assert.equal(
      bytesToHex(encodeProposeL2Output({ outputRoot: root, l2BlockNumber: 120, l1 })),
      oracle.encodeFunctionData('proposeL2Output', [root, 120n, l1.hash, 9n]),
    )
    assert.equal(bytesToHex(encodeGetL2Output(3n)), oracle.encodeFunctionData('getL2Output', [3n]))
    const answer = oracle.encodeFunctionResult('getL2Output', [[root, 1700n, 120n]])
    assert.deepEqual(decodeL2Output(hexToBytes(answer)), { outputRoot: root, timestampSec: 1700, l2BlockNumber: 120 })
    const config = abiOf('own/SystemConfig')
    assert.equal(CONFIG_UPDATE_TOPIC, config.getEvent('ConfigUpdate')?.topicHash)
    assert.equal(
      bytesToHex(encodeSetBatcherHash(alice)),
      config.encodeFunctionData('setBatcherHash', [`0x${'00'.repeat(12)}${alice.slice(2)}`]),
    )
    assert.equal(bytesToHex(encodeSetGasConfigEcotone(5n, 6n)), config.encodeFunctionData('setGasConfigEcotone', [5n, 6n]))
    assert.equal(bytesToHex(encodeSetEip1559Params(250, 6)), config.encodeFunctionData('setEIP1559Params', [250, 6]))
    assert.equal(bytesToHex(encodeSetOperatorFeeScalars(7, 8n)), config.encodeFunctionData('setOperatorFeeScalars', [7, 8n]))
    assert.equal(bytesToHex(encodeSetMinBaseFee(9n)), config.encodeFunctionData('setMinBaseFee', [9n]))
    assert.equal(bytesToHex(encodeSetDaFootprintGasScalar(10)), config.encodeFunctionData('setDAFootprintGasScalar', [10]))
    for (const getter of Object.values(SYSTEM_CONFIG_GETTERS)) assert.ok(config.getFunction(getter), getter)
    const bridge = abiOf('L1StandardBridge')
    assert.equal(bytesToHex(encodeDepositEth(200_000n)), bridge.encodeFunctionData('depositETH', [200_000n, '0x']))
    assert.equal(bytesToHex(encodeDepositEthTo(alice, 1n)), bridge.encodeFunctionData('depositETHTo', [alice, 1n, '0x']))
  })

  it('reads a deposit log, and no other', () => {
    const opaque = hexToBytes(`0x${'00'.repeat(31)}05${'00'.repeat(31)}03000000000000c35001beef`)
    const log: Log = {
      address: ZERO_ADDRESS,
      topics: [
        TRANSACTION_DEPOSITED_TOPIC,
        toHash(`0x${'00'.repeat(12)}${alice.slice(2)}`),
        toHash(new Uint8Array(32)),
        toHash(new Uint8Array(32)),
      ],
      data: encodeParameters('bytes', [opaque]),
    }
    const deposit = findTransactionDeposited(log)
    assert.deepEqual(deposit, {
      from: alice,
      to: ZERO_ADDRESS,
      version: 0n,
      mintWei: 5n,
      valueWei: 3n,
      gasLimit: 50_000n,
      isCreation: true,
      data: hexToBytes('0xbeef'),
    })
    assert.equal(findTransactionDeposited({ ...log, topics: [CONFIG_UPDATE_TOPIC] }), null)
    assert.equal(findTransactionDeposited({ ...log, data: log.data.subarray(0, 40) }), null)
  })
})

describe('artifacts', () => {
  it('contain every contract the development network deploys', () => {
    const names = new Set([...L1_ARTIFACTS, ...L2_ARTIFACTS])
    for (const name of names) {
      const artifact = decodeArtifact(read(name))
      assert.equal(artifact.name, name)
      assert.ok(artifact.bytecode.length > artifact.deployedBytecode.length && artifact.deployedBytecode.length > 0, name)
    }
    const files = readdirSync(ARTIFACTS).filter((file) => file.endsWith('.json'))
    assert.equal(files.length, names.size + 2)
    assert.throws(() => decodeArtifact({ name: 'X' }), { code: 'contracts/artifact' })
  })

  it('contain preinstalls with the code hashes of the public chains', () => {
    const codes = new Map(decodePreinstalls(read('preinstalls'), 10n).map((entry) => [entry.address, entry.code]))
    for (const address of Object.values(PREINSTALLS)) assert.ok(codes.has(address), address)
    // EIP-1014 and EIP-4788 publish this code in full.
    assert.equal(
      bytesToHex(codes.get(PREINSTALLS.DeterministicDeploymentProxy) as Uint8Array),
      '0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3',
    )
    assert.equal(
      keccak256Hash(codes.get(toAddress('0x000f3df6d732807ef1319fb7b8bb8522d0beac02')) as Uint8Array),
      '0xf57acd40259872606d76197ef052f3d35588dadf919ee1f0e3cb9b62d3f4b02c',
    )
    assert.equal(
      keccak256Hash(codes.get(PREINSTALLS.Create2Deployer) as Uint8Array),
      '0xb0550b5b431e30d38000efb7107aaa0ade03d48a7198a140edda9d27134468b2',
    )
  })

  it('give Permit2 the EIP-712 domain of the chain', () => {
    const chainId = 84532n
    const permit2 = decodePreinstalls(read('preinstalls'), chainId).find((entry) => entry.address === PREINSTALLS.Permit2)
    const domain = TypedDataEncoder.hashDomain({ name: 'Permit2', chainId, verifyingContract: PREINSTALLS.Permit2 })
    assert.equal(
      bytesToHex(permit2?.code.slice(PERMIT2_DOMAIN_SEPARATOR_OFFSET, PERMIT2_DOMAIN_SEPARATOR_OFFSET + 32) as Uint8Array),
      domain,
    )
  })

  it('know the proxied address space', () => {
    assert.equal(predeployAddress(2047), '0x42000000000000000000000000000000000007ff')
    assert.equal(implementationAddress(PREDEPLOYS.L1Block), '0xc0d3c0d3c0d3c0d3c0d3c0d3c0d3c0d3c0d30015')
    assert.equal(id('TransactionDeposited(address,address,uint256,bytes)'), TRANSACTION_DEPOSITED_TOPIC)
  })
})
