import assert from 'node:assert/strict'
import { l1ForkRules } from '@keelson/chainspec'
import { bytesToHex, hexToBytes } from '@keelson/primitives'
import { opRules } from '../../../../test/support/evm-world.ts'
import { EvmError } from '../errors.ts'
import { decodeExtraData, encodeExtraData, validateExtraData } from './extra-data.ts'

const PARAMS = hexToBytes('0x0000003200000006')
const NONE = new Uint8Array(8)

describe('extraData', () => {
  it('is empty before Holocene', () => {
    assert.equal(encodeExtraData(opRules('granite'), null, null).length, 0)
    assert.equal(validateExtraData(new Uint8Array(0), opRules('granite')), null)
    assert.equal(validateExtraData(Uint8Array.of(1), opRules('granite')), 'extra-data-not-empty')
  })

  it('holds version 0 and the parameters from Holocene', () => {
    const rules = opRules('holocene')
    const encoded = encodeExtraData(rules, PARAMS, null)
    assert.equal(bytesToHex(encoded), '0x000000003200000006')
    assert.equal(validateExtraData(encoded, rules), null)
    assert.deepEqual(decodeExtraData(encoded), { version: 0, denominator: 50, elasticity: 6, minBaseFeeWei: 0n })
  })

  it('puts the constants in place of all-zero parameters', () => {
    assert.equal(bytesToHex(encodeExtraData(opRules('holocene'), NONE, null)), '0x00000000fa00000006')
  })

  it('holds version 1 and the minimum base fee from Jovian', () => {
    const rules = opRules('jovian')
    const encoded = encodeExtraData(rules, PARAMS, 1_000_000n)
    assert.equal(bytesToHex(encoded), '0x01000000320000000600000000000f4240')
    assert.equal(validateExtraData(encoded, rules), null)
    assert.deepEqual(decodeExtraData(encoded), { version: 1, denominator: 50, elasticity: 6, minBaseFeeWei: 1_000_000n })
  })

  it('is rejected with the reason', () => {
    const holocene = opRules('holocene')
    const jovian = opRules('jovian')
    assert.equal(validateExtraData(hexToBytes('0x000000003200000006'), jovian), 'extra-data-length')
    assert.equal(validateExtraData(hexToBytes('0x0000000032000000060000000000000001'), jovian), 'extra-data-version')
    assert.equal(validateExtraData(hexToBytes('0x010000003200000006'), holocene), 'extra-data-version')
    assert.equal(validateExtraData(hexToBytes('0x000000000000000006'), holocene), 'extra-data-zero-denominator')
    assert.equal(validateExtraData(hexToBytes('0x000000003200000000'), holocene), 'extra-data-zero-elasticity')
    assert.equal(validateExtraData(new Uint8Array(33), l1ForkRules('cancun')), 'extra-data-too-long')
  })

  it('cannot be encoded without the required attributes', () => {
    assert.throws(() => encodeExtraData(opRules('holocene'), null, null), EvmError)
    assert.throws(() => encodeExtraData(opRules('jovian'), PARAMS, null), EvmError)
  })
})
