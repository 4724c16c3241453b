import assert from 'node:assert/strict'
import { bytesToHex, hexToBytes } from '@keelson/primitives'
import { AbiCoder, Interface, id } from 'ethers'
import fc from 'fast-check'
import { decodeParameters, revertReason } from './abi-decode.ts'
import { encodeCall, encodeParameters, eventTopic } from './abi-encode.ts'
import { type AbiType, type AbiValue, parseTypes } from './abi-type.ts'

const ethersCoder = AbiCoder.defaultAbiCoder()

function typeName(type: AbiType): string {
  switch (type.kind) {
    case 'uint':
    case 'int':
      return `${type.kind}${type.bits}`
    case 'fixed-bytes':
      return `bytes${type.size}`
    case 'array':
      return `${typeName(type.item)}[${type.length ?? ''}]`
    case 'tuple':
      return `(${type.items.map(typeName).join(',')})`
    default:
      return type.kind
  }
}

const leaf: fc.Arbitrary<AbiType> = fc.oneof(
  fc.record({ kind: fc.constantFrom('uint' as const, 'int' as const), bits: fc.integer({ min: 1, max: 32 }).map((n) => n * 8) }),
  fc.record({ kind: fc.constantFrom('address' as const, 'bool' as const, 'bytes' as const, 'string' as const) }),
  fc.record({ kind: fc.constant('fixed-bytes' as const), size: fc.integer({ min: 1, max: 32 }) }),
)
const anyType: fc.Arbitrary<AbiType> = fc.letrec<{ type: AbiType }>((tie) => ({
  type: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    leaf,
    fc.record({
      kind: fc.constant('array' as const),
      item: tie('type'),
      length: fc.option(fc.integer({ min: 1, max: 3 }), { nil: null }),
    }),
    fc.record({ kind: fc.constant('tuple' as const), items: fc.array(tie('type'), { minLength: 1, maxLength: 3 }) }),
  ),
})).type

function bytes(length: { minLength: number; maxLength: number }): fc.Arbitrary<Uint8Array> {
  return fc.uint8Array(length).map((b) => new Uint8Array(b))
}

function anyValueOf(type: AbiType): fc.Arbitrary<AbiValue> {
  switch (type.kind) {
    case 'uint':
      return fc.bigInt({ min: 0n, max: (1n << BigInt(type.bits)) - 1n })
    case 'int':
      return fc.bigInt({ min: -(1n << BigInt(type.bits - 1)), max: (1n << BigInt(type.bits - 1)) - 1n })
    case 'bool':
      return fc.boolean()
    case 'address':
      return bytes({ minLength: 20, maxLength: 20 }).map(bytesToHex)
    case 'fixed-bytes':
      return bytes({ minLength: type.size, maxLength: type.size })
    case 'bytes':
      return bytes({ minLength: 0, maxLength: 70 })
    case 'string':
      return fc.string({ unit: 'binary', maxLength: 40 })
    case 'tuple':
      return fc.tuple(...type.items.map(anyValueOf))
    case 'array':
      return fc.array(anyValueOf(type.item), { minLength: type.length ?? 0, maxLength: type.length ?? 3 })
  }
}

const typesWithValues = fc
  .array(anyType, { minLength: 1, maxLength: 4 })
  .chain((types) => fc.tuple(fc.constant(types), fc.tuple(...types.map(anyValueOf))))

describe('ABI codec', () => {
  it('encodes as ethers does, for any types and values', () => {
    fc.assert(
      fc.property(typesWithValues, ([types, values]) => {
        const names = types.map(typeName)
        assert.equal(bytesToHex(encodeParameters(names.join(','), values)), ethersCoder.encode(names, values))
      }),
      { numRuns: 300 },
    )
  })

  it('decodes what it encodes', () => {
    fc.assert(
      fc.property(typesWithValues, ([types, values]) => {
        const names = types.map(typeName).join(',')
        assert.deepEqual(decodeParameters(names, encodeParameters(names, values)), values)
      }),
      { numRuns: 300 },
    )
  })

  it('rejects truncated or hostile data with its own error only', () => {
    fc.assert(
      fc.property(fc.array(anyType, { minLength: 1, maxLength: 3 }), bytes({ minLength: 0, maxLength: 300 }), (types, data) => {
        try {
          decodeParameters(types.map(typeName).join(','), data)
        } catch (error) {
          assert.equal((error as { code?: string }).code, 'contracts/abi-data')
        }
      }),
      { numRuns: 500 },
    )
  })

  it('names functions and events by the hash of their signature', () => {
    const call = 'depositTransaction(address,uint256,uint64,bool,bytes)'
    const to = '0x4200000000000000000000000000000000000016'
    const ethersCall = new Interface([`function ${call}`]).encodeFunctionData('depositTransaction', [to, 5n, 21000n, false, '0x1234'])
    assert.equal(bytesToHex(encodeCall(call, [to, 5n, 21000n, false, hexToBytes('0x1234')])), ethersCall)
    assert.equal(eventTopic('ConfigUpdate(uint256,uint8,bytes)'), id('ConfigUpdate(uint256,uint8,bytes)'))
  })

  it('refuses values that do not fit their type', () => {
    for (const [types, value] of [
      ['uint8', 256n],
      ['int8', 128n],
      ['uint256', -1n],
      ['address', '0x12'],
      ['bytes4', new Uint8Array(3)],
      ['bool', 1n],
      ['uint8[2]', [1n]],
      ['uint8', 'one'],
    ] as const) {
      assert.throws(() => encodeParameters(types, [value]), { code: 'contracts/abi-value' }, types)
    }
    for (const types of ['uint', 'uint7', 'bytes33', 'fixed', '(uint8', 'uint8)']) {
      assert.throws(() => parseTypes(types), { code: 'contracts/abi-type' }, types)
    }
  })

  it('reads revert reasons', () => {
    assert.equal(revertReason(encodeCall('Error(string)', ['no'])), 'no')
    assert.equal(revertReason(encodeCall('Panic(uint256)', [17n])), 'panic 0x11')
    assert.equal(revertReason(hexToBytes('0x82b42900')), '0x82b42900')
    assert.equal(revertReason(hexToBytes('0x08c379a0ff')), '0x08c379a0ff')
    assert.equal(revertReason(new Uint8Array(0)), null)
  })
})
