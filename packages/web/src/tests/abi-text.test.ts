import assert from 'node:assert/strict'
import { encodeCall } from '@keelson/contracts/abi'
import { bytesToHex } from '@keelson/primitives'
import { encodeFunctionData, parseAbi } from 'viem'
import { readAbiText } from '../client/data/abi/abi-text.ts'
import { contractsIn, standardJsonOf } from '../client/data/standard-json.ts'

const ALICE = `0x${'a1'.repeat(20)}` as const

describe('what a person types for a parameter', () => {
  it('is encoded as viem encodes the values', () => {
    const abi = parseAbi(['function f(uint256 a, int8 b, (address who, bytes data)[] list, string text, bool[2] flags, bytes2 two)'])
    const typed = ['0x2a', '-1', `[["${ALICE}", "0xabcd"]]`, ' text ', '[true, false]', '0x1234']
    const types = ['uint256', 'int8', '(address,bytes)[]', 'string', 'bool[2]', 'bytes2']
    const ours = encodeCall(
      `f(${types.join(',')})`,
      types.map((type, i) => readAbiText(type, typed[i] as string)),
    )
    const args = [42n, -1, [{ who: ALICE, data: '0xabcd' }], ' text ', [true, false], '0x1234'] as const
    assert.equal(bytesToHex(ours), encodeFunctionData({ abi, args }))
  })

  it('keeps every digit of a large number in a list', () => {
    const large = 2n ** 255n + 1n
    assert.deepEqual(readAbiText('uint256[]', `[${large}, "${large}", 7]`), [large, large, 7n])
    assert.deepEqual(readAbiText('string[]', '["12, 13]"]'), ['12, 13]'])
  })

  it('is refused when it does not fit the type', () => {
    for (const [type, text] of [
      ['uint256', '1.5'],
      ['uint256', ''],
      ['bool', 'yes'],
      ['address', ALICE.slice(0, -2)],
      ['address', '0x70997970C51812dc3A010C7d01b50e0d17dc79C9'],
      ['bytes', '0xabc'],
      ['bytes32', '0x00'],
      ['uint8[2]', '[1]'],
      ['uint8[]', '{"0": 1}'],
      ['(uint8,bool)', '[1]'],
    ] as const)
      assert.throws(() => readAbiText(type, text), /^Error: This must/, `${type} ${text}`)
  })
})

describe('the sources of a contract', () => {
  it('name the contracts and libraries to choose from', () => {
    const a = 'library Sums {}\nabstract contract Base {}\n  contract Vault is Base {}\n// contract Not {}\n'
    assert.deepEqual(contractsIn(standardJsonOf({ 'a/A.sol': a }, { optimizer: { enabled: false, runs: 200 }, viaIR: false })), [
      'a/A.sol:Sums',
      'a/A.sol:Vault',
    ])
  })

  it('name none when they are no standard JSON input', () => {
    for (const other of [null, 7, 'x', {}, { sources: null }, { sources: { a: null, b: { urls: [] } } }])
      assert.deepEqual(contractsIn(other), [])
  })
})
