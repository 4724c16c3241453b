import assert from 'node:assert/strict'
import type { ContractCaller } from '@keelson/client'
import { encodeGetL2OutputAfter } from '@keelson/contracts'
import { bigintToBytes, bytesToHex, concatBytes, toAddress, toHash } from '@keelson/primitives'
import { findOracle, findOutputOnL1 } from './output-on-l1.ts'

const ORACLE = toAddress(`0x${'0a'.repeat(20)}`)
const ROOT = toHash(`0x${'cd'.repeat(32)}`)

describe('output root on L1', () => {
  const answering = (block: bigint): ContractCaller => ({
    async call(to, data) {
      assert.equal(to, ORACLE)
      assert.equal(bytesToHex(data), bytesToHex(encodeGetL2OutputAfter(100n)))
      return concatBytes(new Uint8Array(32).fill(0xcd), bigintToBytes(1_700_000_000n, 32), bigintToBytes(block, 32))
    },
  })

  it('is that of the first output at or after the block, as long as the snapshot has its header', async () => {
    assert.equal(await findOutputOnL1(answering(120n), ORACLE, 100, 120), ROOT)
    await assert.rejects(findOutputOnL1(answering(121n), ORACLE, 100, 120), /the next is for block 121.*--output-root/)
  })

  it('comes from the oracle in addresses.json, under the name of op-deployer or of the superchain registry', () => {
    assert.equal(findOracle('net', { L2OutputOracle: ORACLE }), ORACLE)
    assert.equal(findOracle('net', { L2OutputOracleProxy: ORACLE }), ORACLE)
    const faultProofs = { DisputeGameFactoryProxy: ORACLE }
    assert.throws(() => findOracle('net', faultProofs), {
      code: 'node/usage',
      message: /addresses\.json in net .*--oracle ADDRESS.*--output-root HASH/,
    })
  })

  it('is missing when the oracle reverts; when L1 cannot be asked, that is said', async () => {
    const failing = (code: string): ContractCaller => ({
      async call() {
        throw Object.assign(new Error('no'), { code })
      },
    })
    await assert.rejects(findOutputOnL1(failing('client/rpc'), ORACLE, 100, 120), { code: 'node/usage' })
    await assert.rejects(findOutputOnL1(failing('client/unreachable'), ORACLE, 100, 120), { code: 'client/unreachable' })
  })
})
